import { type Actor, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Device } from '../ports/storage/devices.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import { byteLength } from '../utf8.ts';

/** Maximum length supported by the indexes of every database. */
const MAX_DEVICE_ID_BYTES = 2_000;

/**
 * Maximum number of a user's devices besides the one being registered, because a message to the user is stored for all
 * of them in one transaction. Replaced device tokens stay until the push service reports them as dead, so users can
 * have more tokens than devices.
 */
const MAX_OTHER_DEVICES = 99;

/** Device of a login, for push notifications. */
export interface LoginData {
  readonly os: Device['os'];
  readonly deviceId: string;
}

/**
 * Registers a device for the user. If the user then has more than 100, those with the oldest registrations are removed.
 */
export async function registerDevice({ devices }: Pick<Stores, 'devices'>, device: Device): Promise<void> {
  await devices.register(device, MAX_OTHER_DEVICES);
}

/** @throws `input.invalid` if no push service could have issued this id */
export function checkDeviceId(id: string): void {
  if (id === '' || byteLength(id) > MAX_DEVICE_ID_BYTES) {
    throw new AppError('input.invalid', { detail: `the id of a device must have 1 to ${MAX_DEVICE_ID_BYTES} bytes` });
  }
}

export interface PushDevicesDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

export type PushDevices = ReturnType<typeof createPushDevices>;

/** Devices on which users receive notifications. */
export function createPushDevices({ storage, clock }: PushDevicesDeps) {
  return {
    /**
     * Registers a device as a login does. It replaces the device of the caller's session: a session stays on one
     * device, whose id may change.
     *
     * @throws `auth.required`, `input.invalid`, `session.invalid`
     */
    async enable(actor: Actor, { os, deviceId }: LoginData): Promise<void> {
      const { id: userId } = requireUser(actor);
      checkDeviceId(deviceId);
      await storage.transaction(async ({ devices, sessions }) => {
        const { sessionId } = actor;
        const before = sessionId === null ? null : ((await sessions.find(sessionId))?.session.deviceId ?? null);
        // Removed first, so that the limit does not cause the removal of another device.
        if (before !== null && before !== deviceId) await devices.remove(before, userId);
        await registerDevice({ devices }, { id: deviceId, userId, os, registered: clock.now() });
        if (sessionId === null) return;
        if (!(await sessions.setDevice(sessionId, deviceId))) throw new AppError('session.invalid');
      });
    },

    /** Removes a device, if it is the caller's. @throws `auth.required` */
    async disable(actor: Actor, deviceId: string): Promise<void> {
      const { id } = requireUser(actor);
      await storage.devices.remove(deviceId, id);
    },
  };
}
