import { type Actor, AppError, type RoomEvent, type RoomMember, type RoomSeat, type Rooms } from '@baobab/core';
import { type ClientFrame, textIn } from './frames.ts';
import type { Outgoing } from './outgoing.ts';

/** Maximum number of messages of a socket to rooms in a second. */
const MESSAGES_PER_SECOND = 50;
const SECOND_MS = 1_000;
/** Number of unread bytes at which a socket in a room is closed. Messages of rooms are not stored, so none can wait. */
const MAX_UNREAD = 1_048_576;
/** Maximum length of a `presence` message, in characters. Further members follow as `joined`. */
const MAX_PRESENCE = 49_152;

const memberJson = ({ id, user, state }: RoomMember) =>
  `{"id":"${id}","user":${JSON.stringify(user)},"state":${state}}`;

/** Returns the members of an event as JSON text, beginning with a comma. */
function restOf(event: RoomEvent): string {
  switch (event.type) {
    case 'joined':
      return `,"member":${memberJson(event.member)}`;
    case 'left':
      return `,"id":"${event.id}"`;
    case 'state':
      return `,"id":"${event.id}","state":${event.state}`;
    case 'message':
      return `,"from":"${event.from}","data":${event.data}`;
  }
}

/** Returns the JSON text of a member of a message. */
const jsonIn = ({ members }: ClientFrame, name: string): string => members.get(name)?.text ?? 'null';

const keyOf = (room: string) => room.toLowerCase();

/** The rooms that one socket has joined. */
export function createRoomSeats(rooms: Rooms, outgoing: Outgoing) {
  /** By the names of rooms in lower case, which is how the service compares them. Null while joining. */
  const seats = new Map<string, RoomSeat | null>();
  let windowBegan = 0;
  let sent = 0;

  /** @throws `room.too_many_messages` */
  function count(): void {
    const now = performance.now();
    if (now - windowBegan >= SECOND_MS) [windowBegan, sent] = [now, 0];
    if (++sent > MESSAGES_PER_SECOND) {
      throw new AppError('room.too_many_messages', { detail: `at most ${MESSAGES_PER_SECOND}`, retryAfter: 1 });
    }
  }

  function refIn(frame: ClientFrame): string {
    const ref = textIn(frame, 'room');
    if (ref === null) throw new AppError('input.invalid', { detail: 'room is missing', input: 'room' });
    return ref;
  }

  function seatIn(frame: ClientFrame): RoomSeat {
    const seat = seats.get(keyOf(refIn(frame)));
    if (!seat) throw new AppError('input.invalid', { detail: 'join the room first', input: 'room' });
    return seat;
  }

  function deliver(room: string, event: RoomEvent): void {
    if (outgoing.unread > MAX_UNREAD) outgoing.end('changes.too_slow');
    else outgoing.send(`{"type":"${event.type}","room":${JSON.stringify(room)}${restOf(event)}}`);
  }

  /** Sends the members: at first as many as one message holds, the others one by one as the client reads them. */
  async function welcome(room: string, seat: RoomSeat): Promise<void> {
    const members = seat.members().map((member) => ({ id: member.id, json: memberJson(member) }));
    let length = 0;
    const first = members.filter(({ json }) => {
      length += json.length;
      return length <= MAX_PRESENCE;
    });
    const list = first.map(({ json }) => json).join();
    outgoing.send(`{"type":"presence","room":${JSON.stringify(room)},"self":"${seat.id}","members":[${list}]}`);
    for (const { id } of members.slice(first.length)) {
      await outgoing.ready();
      if (seats.get(keyOf(room)) !== seat) return;
      // It may have left, or have changed its state, while the client was reading.
      const member = seat.member(id);
      if (member !== undefined) deliver(room, { type: 'joined', member });
    }
  }

  return {
    /** @throws as `Rooms.join`, `room.too_many_messages` */
    async join(actor: Actor, address: string, frame: ClientFrame): Promise<void> {
      count();
      const room = refIn(frame);
      const key = keyOf(room);
      if (seats.has(key)) throw new AppError('input.invalid', { detail: 'already in this room', input: 'room' });
      seats.set(key, null);
      const isSeated = () => Boolean(seats.get(key));
      try {
        const seat = await rooms.join(
          actor,
          { room, state: jsonIn(frame, 'state'), address },
          {
            // Before that, `presence` has everything.
            deliver: (event) => isSeated() && deliver(room, event),
            end(code, message) {
              seats.delete(key);
              outgoing.send(JSON.stringify({ type: 'end', room, data: { code, message } }));
            },
          },
        );
        if (!seats.has(key)) {
          seat.leave();
          return;
        }
        seats.set(key, seat);
        await welcome(room, seat);
      } catch (error) {
        seats.delete(key);
        throw error;
      }
    },

    /** @throws `input.invalid`, `input.too_large`, `room.too_many_messages` */
    setState(frame: ClientFrame): void {
      count();
      seatIn(frame).setState(jsonIn(frame, 'state'));
    },

    /** @throws `input.invalid`, `input.too_large`, `room.too_many_messages` */
    send(frame: ClientFrame): void {
      count();
      seatIn(frame).send(jsonIn(frame, 'data'));
    },

    leave(frame: ClientFrame): void {
      const key = keyOf(refIn(frame));
      seats.get(key)?.leave();
      seats.delete(key);
    },

    close(): void {
      for (const seat of seats.values()) seat?.leave();
      seats.clear();
    },
  };
}
