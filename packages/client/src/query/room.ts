import type { LiveHandlers } from './live.ts';

/** A connection in a room. A user with several tabs has several. */
export interface RoomMember<S = unknown> {
  readonly id: string;
  /** Name of the user; null for an anonymous one. */
  readonly user: string | null;
  /** State that the member tracks; null before it does. */
  readonly state: S | null;
}

/** Handlers of a room. `onState`: `live` while the client is in the room; `failed` if it may not enter. */
export interface RoomHandlers<S, D> extends LiveHandlers {
  /** Called with all members, the client included, now and after each change. */
  readonly onMembers?: (members: readonly RoomMember<S>[]) => void;
  /** Called for each message of another member. `from` is undefined if that member has just left. */
  readonly onMessage?: (data: D, from: RoomMember<S> | undefined) => void;
}

/** The room of a document: presence and messages, which are not stored. */
export interface Room<S = unknown, D = unknown> {
  /** `<collection>/<document id>` */
  readonly ref: string;
  /** Members, the client included. */
  readonly members: readonly RoomMember<S>[];
  /** Enters the room, and shows this state to all members. Frequent changes are combined. */
  track(state: S): void;
  /** Sends a message to all others who are in the room now. */
  send(data: D): void;
  /** Enters the room and calls the handlers. Returns a function that unsubscribes. */
  on(handlers: RoomHandlers<S, D>): () => void;
  /** Leaves the room, unless another part of the app is in it. */
  leave(): void;
}
