export interface Device {
  /** As the platform's push service names it. */
  readonly id: string;
  readonly userId: string;
  readonly os: 'ios' | 'android';
  /** When it was last registered, milliseconds. */
  readonly registered: number;
}

export interface DeviceStore {
  /**
   * Makes the device this user's. One that was another user's moves, and leaves the sessions in which it stood.
   *
   * @throws `user.not_found` when there is no such user
   */
  register(device: Device): Promise<void>;
  /** Resolves to false when this user has no such device. */
  remove(id: string, userId: string): Promise<boolean>;
  /** Forgets all devices of a user. */
  removeOfUser(userId: string): Promise<void>;
  /** The devices of a user, by id. */
  list(userId: string): Promise<Device[]>;
}
