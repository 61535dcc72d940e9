import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Timers } from '../ports/timers.ts';
import { steadyTime } from '../time/waits.ts';
import { createRoomBus } from './bus.ts';
import { deliver, keepRemote, putRemote, type Room, type RoomMember, removeRemote } from './members.ts';

/** Interval at which a node with members names them, in milliseconds. */
const ALIVE_MS = 5_000;
/** Silence after which the members of a node are gone, in milliseconds. */
const SILENT_MS = 20_000;
/** Maximum time for other nodes to name their members of a room, in milliseconds. */
const ANSWER_MS = 200;

/** A message between nodes. */
type NodeMessage = Question | AboutRoom;

type Question =
  | { readonly kind: 'alive'; readonly rooms: Readonly<Record<string, readonly string[]>> }
  | { readonly kind: 'ask'; readonly room: string };

type AboutRoom =
  | { readonly kind: 'have'; readonly room: string; readonly members: readonly RoomMember[] }
  | { readonly kind: 'put'; readonly room: string; readonly member: RoomMember }
  | { readonly kind: 'left'; readonly room: string; readonly id: string }
  | { readonly kind: 'message'; readonly room: string; readonly from: string; readonly data: string };

export interface RoomNodesDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** Keeps the rooms of this node in agreement with those of other nodes. */
export function createRoomNodes({ storage, secrets, clock, timers, logger }: RoomNodesDeps) {
  /** Rooms with local members. */
  const rooms = new Map<string, Room>();
  /** Time of the last message of each other node with members, by the steady clock. */
  const heardAt = new Map<string, number>();
  /** Nodes that have not answered, by room. */
  const awaited = new Map<string, { readonly nodes: Set<string>; done(): void }>();
  let isFirst = true;
  let cancelTurn: (() => void) | null = null;

  const locals = (room: Room) => [...room.local.values()].map(({ member }) => member);

  function tellAlive(): void {
    if (rooms.size > 0) bus.send({ kind: 'alive', rooms: Object.fromEntries(idsByRoom()) } satisfies NodeMessage);
  }

  const idsByRoom = () => [...rooms].map(([name, { local }]) => [name, [...local.keys()]] as const);

  function forgetNode(node: string): void {
    heardAt.delete(node);
    bus.forget(node);
    for (const room of rooms.values()) keepRemote(room, node, new Set());
  }

  function takeAlive(node: string, named: Readonly<Record<string, readonly string[]>>): void {
    for (const [name, room] of rooms) {
      const ids = named[name] ?? [];
      keepRemote(room, node, new Set(ids));
      if (ids.some((id) => !room.remote.has(id))) bus.send({ kind: 'ask', room: name } satisfies NodeMessage);
    }
  }

  function answered(node: string, name: string): void {
    const question = awaited.get(name);
    question?.nodes.delete(node);
    if (question?.nodes.size === 0) question.done();
  }

  function answer(name: string): void {
    const room = rooms.get(name);
    const members = room === undefined ? [] : locals(room);
    if (rooms.size > 0) bus.send({ kind: 'have', room: name, members } satisfies NodeMessage);
  }

  function hear(node: string, given: unknown): void {
    const message = given as NodeMessage;
    heardAt.set(node, steadyTime(clock));
    if (message.kind === 'alive') takeAlive(node, message.rooms);
    else if (message.kind === 'ask') answer(message.room);
    else {
      const room = rooms.get(message.room);
      if (room !== undefined) apply(node, room, message);
    }
  }

  function apply(node: string, room: Room, message: AboutRoom): void {
    switch (message.kind) {
      case 'have':
        for (const member of message.members) putRemote(room, node, member);
        answered(node, message.room);
        break;
      case 'put':
        putRemote(room, node, message.member);
        break;
      case 'left':
        removeRemote(room, message.id);
        break;
      case 'message':
        deliver(room, { type: 'message', from: message.from, data: message.data });
    }
  }

  const bus = createRoomBus({
    storage,
    timers,
    logger,
    node: secrets.token(),
    hear,
    lost() {
      for (const name of rooms.keys()) bus.send({ kind: 'ask', room: name } satisfies NodeMessage);
      tellAlive();
    },
  });

  function takeTurn(): void {
    cancelTurn = timers.after(ALIVE_MS, () => {
      cancelTurn = null;
      tellAlive();
      const oldest = steadyTime(clock) - SILENT_MS;
      for (const [node, at] of heardAt) if (at < oldest) forgetNode(node);
      if (rooms.size > 0) takeTurn();
    });
  }

  return {
    rooms,
    send: (message: NodeMessage) => bus.send(message),

    /** Waits a moment for the members that a new room has on other nodes. */
    async learn(name: string): Promise<void> {
      if (cancelTurn === null) takeTurn();
      bus.send({ kind: 'ask', room: name } satisfies NodeMessage);
      // The other nodes are not known before the first answers.
      if (heardAt.size === 0 && !isFirst) return;
      isFirst = false;
      await new Promise<void>((resolve) => {
        const done = () => {
          cancel();
          awaited.delete(name);
          resolve();
        };
        const cancel = timers.after(ANSWER_MS, done);
        if (heardAt.size > 0) awaited.set(name, { nodes: new Set(heardAt.keys()), done });
      });
    },

    dispose(): void {
      cancelTurn?.();
      bus.dispose();
    },
  };
}
