/** What runs on a device, such as `android` or `ios`: each has its own push service. */
export type Platform = string;

export interface Device {
  /** As the platform's push service names it. */
  readonly id: string;
  readonly userId: string;
  readonly os: Platform;
  /** When it was last registered, milliseconds. */
  readonly registered: number;
}

export interface DeviceStore {
  /**
   * Makes the device this user's. One that was another user's moves, leaves the sessions in which it stood, and
   * notifications that wait for it are withdrawn. Where the user then has more than `most` others, those that were
   * registered longest ago are forgotten as by `remove`; at most 100 of them at once.
   *
   * @throws `user.not_found` when there is no such user
   */
  register(device: Device, most?: number): Promise<void>;
  /** Withdraws the notifications that wait for it. Resolves to false when this user has no such device. */
  remove(id: string, userId: string): Promise<boolean>;
  /** Forgets the devices of a user but for `except`, and withdraws the notifications that wait for them. */
  removeOfUser(userId: string, except: string | null): Promise<void>;
  /** The devices of a user, by id. */
  list(userId: string): Promise<Device[]>;
}
