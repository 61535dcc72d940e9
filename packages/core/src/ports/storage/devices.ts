/** Operating system of a device, such as `android` or `ios`. Each has a separate push service. */
export type Platform = string;

export interface Device {
  /** Device id at the platform's push service. */
  readonly id: string;
  readonly userId: string;
  readonly os: Platform;
  /** Time of the last registration, in milliseconds. */
  readonly registered: number;
}

export interface DeviceStore {
  /**
   * Assigns the device to this user. If it belonged to another user, it is removed from that user and from the sessions
   * that name it, and notifications waiting for it are withdrawn. If the user then has more than `most` other devices,
   * those with the oldest registrations are removed as by `remove`, at most 100 per call.
   *
   * @throws `user.not_found` if there is no such user
   */
  register(device: Device, most?: number): Promise<void>;
  /**
   * Removes the device and withdraws notifications waiting for it. Resolves to false if this user has no such device.
   */
  remove(id: string, userId: string): Promise<boolean>;
  /** Removes all devices of a user except `except`, and withdraws the notifications waiting for them. */
  removeOfUser(userId: string, except: string | null): Promise<void>;
  /** Returns the devices of a user, by id. */
  list(userId: string): Promise<Device[]>;
}
