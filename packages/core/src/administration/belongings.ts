import { type Actor, requireAdmin } from '../actor.ts';
import { AppError } from '../errors.ts';
import { MAX_GROUPS_OF_USER } from '../groups/membership.ts';
import { userKey } from '../names/names.ts';
import type { Device } from '../ports/storage/devices.ts';
import type { OwnGroup } from '../ports/storage/groups.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { CountedBelongings } from '../ports/storage/users.ts';

/** Limit of counts, so that no call reads more rows than this of each kind. */
export const MAX_COUNTED = 1000;

export interface Belongings extends CountedBelongings {
  readonly groups: readonly OwnGroup[];
  readonly devices: readonly Device[];
}

export type BelongingsUseCases = ReturnType<typeof createBelongings>;

export function createBelongings({ storage }: { readonly storage: Storage }) {
  return {
    /**
     * Returns the data of a user that is removed with them. Counts end at `MAX_COUNTED`.
     *
     * @throws `auth.required`, `admin.required`, `user.not_found`
     */
    async read(actor: Actor, username: string): Promise<Belongings> {
      requireAdmin(actor);
      const user = await storage.users.findByKey(userKey(username));
      if (user === null) throw new AppError('user.not_found');
      const [counted, groups, devices] = await Promise.all([
        storage.users.belongings(user.id, MAX_COUNTED),
        storage.groups.ofUser(user.id, MAX_GROUPS_OF_USER),
        storage.devices.list(user.id),
      ]);
      return { ...counted, groups, devices };
    },
  };
}
