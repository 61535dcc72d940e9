import { type Actor, AppError, type ChangeStreams, createSemaphore, type QueryParser } from '@baobab/core';
import { conditionIn, paramTexts } from '../lists/criteria.ts';
import { collectionsIn } from '../schemas/changes.ts';
import { type ClientFrame, idIn, type RenderFrame, textIn } from './frames.ts';
import type { Outgoing } from './outgoing.ts';

export interface SubscriptionDeps {
  readonly changeStreams: ChangeStreams;
  readonly parseQuery: QueryParser;
  readonly render: RenderFrame;
}

/** Returns the names of collections; null for all. @throws `input.invalid` */
function collectionsOf({ members }: ClientFrame): readonly string[] | null {
  const value = members.get('collection')?.value;
  if (value === undefined || value === null) return null;
  const names: readonly unknown[] = [value].flat();
  // An empty list must not mean everything.
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw new AppError('input.invalid', { detail: 'collection must be a name or names', input: 'collection' });
  }
  return collectionsIn({ collection: names });
}

/** The subscriptions of one socket. Each is a change stream. */
export function createSubscriptions({ changeStreams, parseQuery, render }: SubscriptionDeps, outgoing: Outgoing) {
  const open = new Map<number, () => void>();
  /** One page for all subscriptions of the socket, so that a slow reader holds no more. */
  const pages = createSemaphore({ running: 1 });

  function sinkOf(id: number) {
    return {
      send(event: Parameters<RenderFrame>[1]): void {
        // A stream that the server ends has a reason that concerns the whole socket.
        if (event.type === 'end') outgoing.end(event.code);
        else outgoing.send(render(id, event));
      },
      beat(cursor: string | null): void {
        if (cursor !== null) outgoing.send(JSON.stringify({ type: 'cursor', id, cursor }));
      },
      get unread() {
        return outgoing.unread;
      },
      taken: outgoing.taken,
      end: () => undefined,
      pages,
    };
  }

  return {
    /** @throws as `ChangeStreams.open`, `criteria.invalid` */
    async add(actor: Actor, address: string, frame: ClientFrame): Promise<void> {
      const id = idIn(frame);
      if (open.has(id)) throw new AppError('input.invalid', { detail: `id ${id} is in use`, input: 'id' });
      const query = {
        where: textIn(frame, 'where') ?? undefined,
        search: textIn(frame, 'search') ?? undefined,
        params: paramTexts(frame.members.get('params')),
      };
      const request = {
        since: textIn(frame, 'since'),
        collections: collectionsOf(frame),
        where: conditionIn(query, parseQuery),
        address,
      };
      const close = await changeStreams.open(actor, request, () => sinkOf(id));
      open.set(id, close);
    },

    remove(frame: ClientFrame): void {
      const id = idIn(frame);
      open.get(id)?.();
      open.delete(id);
    },

    close(): void {
      for (const close of open.values()) close();
      open.clear();
    },
  };
}
