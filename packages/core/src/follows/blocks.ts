import { type Actor, requireUser } from '../actor.ts';
import { markUsers } from '../changes/marks.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { findOther, unknownUser } from './follows.ts';

export interface BlocksDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

export type Blocks = ReturnType<typeof createBlocks>;

/** Blocks between users. To a blocked user, the blocking one does not exist. */
export function createBlocks({ storage, clock }: BlocksDeps) {
  return {
    /**
     * Blocks a user. Resolves to false if the caller already blocks them.
     *
     * @throws `auth.required`, `user.internal`, `user.not_found`, `block.self`
     */
    async block(actor: Actor, username: string): Promise<boolean> {
      const caller = requireUser(actor);
      const { id } = await findOther(storage, username, caller.id);
      if (id === caller.id) throw new AppError('block.self');
      const outcome = await storage.transaction(async (stores) => {
        const { outcome, parted } = await stores.blocks.add(caller.id, id);
        await markUsers(stores, parted, { reason: 'follow', now: clock.now() });
        return outcome;
      });
      if (outcome === 'blocked') throw unknownUser(username);
      return outcome === 'added';
    },

    /** @throws `auth.required`, `user.internal`, `user.not_found`, `block.not_found` */
    async unblock(actor: Actor, username: string): Promise<void> {
      const caller = requireUser(actor);
      const { id } = await findOther(storage, username, caller.id);
      if (!(await storage.blocks.remove(caller.id, id))) throw new AppError('block.not_found');
    },
  };
}
