import { type Actor, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Device } from '../ports/storage/devices.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { LoginData } from '../sessions/sessions.ts';
import { byteLength } from '../utf8.ts';

/** What the index of every database takes. */
const MAX_DEVICE_ID_BYTES = 2_000;

/**
 * Devices of a user at most, besides the one that is registered: a message to somebody is written for all of them in one
 * transaction. Tokens that an app has replaced stay until the push service says so, and are more than people have.
 */
const MAX_OTHER_DEVICES = 99;

/** Makes a device this user's. Beyond 100 of them the ones that were registered longest ago make room. */
export async function registerDevice({ devices }: Pick<Stores, 'devices'>, device: Device): Promise<void> {
  await devices.register(device, MAX_OTHER_DEVICES);
}

/** @throws `input.invalid` when no push service can have given this id */
export function checkDeviceId(id: string): void {
  if (id === '' || byteLength(id) > MAX_DEVICE_ID_BYTES) {
    throw new AppError('input.invalid', { detail: `the id of a device has 1 to ${MAX_DEVICE_ID_BYTES} bytes` });
  }
}

export interface PushDevicesDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

export type PushDevices = ReturnType<typeof createPushDevices>;

/** The devices on which users want notifications. */
export function createPushDevices({ storage, clock }: PushDevicesDeps) {
  return {
    /**
     * Registers a device as a login does. It becomes the one of the caller's session, in the place of the one before:
     * a session goes on on one device, whose id may change.
     *
     * @throws `auth.required`, `input.invalid`, `session.invalid`
     */
    async enable(actor: Actor, { os, deviceId }: LoginData): Promise<void> {
      const { id: userId } = requireUser(actor);
      checkDeviceId(deviceId);
      await storage.transaction(async ({ devices, sessions }) => {
        const { sessionId } = actor;
        const before = sessionId === null ? null : ((await sessions.find(sessionId))?.session.deviceId ?? null);
        // First, so that no other has to make room.
        if (before !== null && before !== deviceId) await devices.remove(before, userId);
        await registerDevice({ devices }, { id: deviceId, userId, os, registered: clock.now() });
        if (sessionId === null) return;
        if (!(await sessions.setDevice(sessionId, deviceId))) throw new AppError('session.invalid');
      });
    },

    /** Forgets a device, if it is the caller's. @throws `auth.required` */
    async disable(actor: Actor, deviceId: string): Promise<void> {
      const { id } = requireUser(actor);
      await storage.devices.remove(deviceId, id);
    },
  };
}
