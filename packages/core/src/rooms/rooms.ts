import type { Actor } from '../actor.ts';
import { createFeedReaders, type FeedReadersDeps, refusalOf } from '../changes/readers.ts';
import type { ChangeStreams } from '../changes/streams.ts';
import { collectionKey } from '../collections/collections.ts';
import type { Documents } from '../documents/documents.ts';
import { AppError, ERRORS, type ErrorCode, isAppError } from '../errors.ts';
import type { Gauges } from '../ports/gauges.ts';
import { byteLength } from '../utf8.ts';
import { createRoom, deliver, memberOf, membersOf, type Room, type RoomEvent, type RoomMember } from './members.ts';
import { createRoomNodes, type RoomNodesDeps } from './nodes.ts';

/** Maximum size of a state or message, in bytes. */
const MAX_BYTES = 16_384;
/** Maximum number of members of a room on one node. */
const MAX_MEMBERS = 1_000;
/** Pause before permissions are checked again while the storage is unavailable, in milliseconds. */
const RETRY_MS = 500;

/** Receiver of what happens in a room. */
export interface RoomSink {
  deliver(event: RoomEvent): void;
  /** The caller may no longer be in the room. */
  end(code: ErrorCode, message: string): void;
}

export interface RoomRequest {
  /** `<collection>/<document id>` */
  readonly room: string;
  /** JSON text. */
  readonly state: string;
  /** Network address of the client. */
  readonly address: string;
}

/** A place in a room. */
export interface RoomSeat {
  readonly id: string;
  /** Members including the caller. */
  members(): readonly RoomMember[];
  /** Returns a member with its current state; undefined if it has left. */
  member(id: string): RoomMember | undefined;
  /** @param state JSON text @throws `input.too_large` */
  setState(state: string): void;
  /** @param data JSON text @throws `input.too_large` */
  send(data: string): void;
  leave(): void;
}

export interface RoomsDeps extends FeedReadersDeps, RoomNodesDeps {
  readonly documents: Documents;
  readonly changeStreams: ChangeStreams;
  readonly gauges: Gauges;
}

function requireSmall(json: string): void {
  if (byteLength(json) > MAX_BYTES) throw new AppError('input.too_large', { detail: `at most ${MAX_BYTES} bytes` });
}

const isPassing = (error: AppError) => error.code === 'storage.unavailable';

export type Rooms = ReturnType<typeof createRooms>;

/** Rooms: presence and messages of the clients that look at the same document. Nothing is stored. */
export function createRooms(deps: RoomsDeps) {
  const { documents, changeStreams, secrets, timers, logger, gauges } = deps;
  const nodes = createRoomNodes(deps);
  const readers = createFeedReaders(deps);
  let seats = 0;
  gauges.add({ name: 'room_members', help: 'Members of rooms on this process', read: () => seats });

  /** Returns why the caller may not be in the room; null if they may. */
  async function refusal(actor: Actor, collection: string, id: string): Promise<AppError | null> {
    try {
      const reader = await readers.stored(actor);
      if (reader === null) return new AppError(refusalOf(actor));
      await documents.read(reader.actor, { collection, id });
      return null;
    } catch (error) {
      if (isAppError(error)) return error;
      throw error;
    }
  }

  function enter(name: string): Room {
    const room = nodes.rooms.get(name) ?? createRoom();
    if (room.local.size >= MAX_MEMBERS) throw new AppError('room.full');
    nodes.rooms.set(name, room);
    return room;
  }

  return {
    /**
     * Enters the room of a document that the caller may read. Counts as a subscription.
     *
     * @throws `access.denied`, `document.not_found`, `collection.not_found`, `input.too_large`, `room.full`, as
     * `ChangeStreams.open`
     */
    async join(actor: Actor, { room: ref, state, address }: RoomRequest, sink: RoomSink): Promise<RoomSeat> {
      requireSmall(state);
      const [collection = '', id = '', ...rest] = ref.split('/');
      if (rest.length > 0) throw new AppError('document.not_found');
      const name = `${collectionKey(collection)}/${id.toLowerCase()}`;
      let hasLeft = false;
      let isChecking = false;

      async function check(): Promise<void> {
        if (isChecking || hasLeft) return;
        isChecking = true;
        const error = await refusal(actor, collection, id).catch((err) => {
          logger.error({ err }, 'checking the permission of a member of a room failed, retrying');
          return new AppError('storage.unavailable');
        });
        isChecking = false;
        if (error === null || hasLeft) return;
        if (isPassing(error)) timers.after(RETRY_MS, () => void check());
        else {
          leave();
          sink.end(error.code, ERRORS[error.code]);
        }
      }

      // Before the first check, so that no change of permissions is missed.
      const request = { since: null, collections: [collection], where: null, address };
      const close = await changeStreams.open(actor, request, () => ({
        send(event) {
          const isGone = event.type === 'gone' && event.change.type === 'gone' && event.change.id === id.toLowerCase();
          if (isGone || event.type === 'resync') void check();
        },
        beat: () => undefined,
        unread: 0,
        taken: () => Promise.resolve(),
        end: () => undefined,
      }));
      const member: RoomMember = { id: secrets.token(), user: actor.user?.name ?? null, state };

      function leave(): void {
        if (hasLeft) return;
        hasLeft = true;
        close();
        const room = nodes.rooms.get(name);
        if (room?.local.delete(member.id) !== true) return;
        seats--;
        deliver(room, { type: 'left', id: member.id });
        nodes.send({ kind: 'left', room: name, id: member.id });
        if (room.local.size === 0) nodes.rooms.delete(name);
      }

      try {
        const refused = await refusal(actor, collection, id);
        if (refused !== null) throw refused;
        const room = enter(name);
        const isNew = room.local.size === 0;
        const local = { member, deliver: sink.deliver };
        room.local.set(member.id, local);
        seats++;
        deliver(room, { type: 'joined', member }, member.id);
        nodes.send({ kind: 'put', room: name, member });
        if (isNew) await nodes.learn(name);
        return {
          id: member.id,
          members: () => membersOf(room),
          member: (of) => memberOf(room, of),
          setState(next) {
            requireSmall(next);
            if (hasLeft) return;
            local.member = { ...member, state: next };
            deliver(room, { type: 'state', id: member.id, state: next }, member.id);
            nodes.send({ kind: 'put', room: name, member: local.member });
          },
          send(data) {
            requireSmall(data);
            if (hasLeft) return;
            deliver(room, { type: 'message', from: member.id, data }, member.id);
            nodes.send({ kind: 'message', room: name, from: member.id, data });
          },
          leave,
        };
      } catch (error) {
        leave();
        throw error;
      }
    },

    dispose: nodes.dispose,
  };
}
