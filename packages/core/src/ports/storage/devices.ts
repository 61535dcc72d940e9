/** The operating system of a device, such as `android` or `ios`: each has its own push service. */
export type Platform = string;

export interface Device {
  /** The id that the platform's push service uses. */
  readonly id: string;
  readonly userId: string;
  readonly os: Platform;
  /** Time of the last registration, milliseconds. */
  readonly registered: number;
}

export interface DeviceStore {
  /**
   * Assigns the device to this user. A device of another user is taken from that user and from the sessions that name
   * it, and notifications waiting for it are withdrawn. If the user then has more than `most` other devices, those with
   * the oldest registrations are removed as by `remove`, at most 100 in one call.
   *
   * @throws `user.not_found` when there is no such user
   */
  register(device: Device, most?: number): Promise<void>;
  /** Removes the device and withdraws notifications waiting for it. Resolves to false when this user has no such device. */
  remove(id: string, userId: string): Promise<boolean>;
  /** Removes all devices of a user except `except`, and withdraws the notifications waiting for them. */
  removeOfUser(userId: string, except: string | null): Promise<void>;
  /** The devices of a user, by id. */
  list(userId: string): Promise<Device[]>;
}
