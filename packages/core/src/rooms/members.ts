/** A connection in a room. */
export interface RoomMember {
  readonly id: string;
  /** Name of the user; null for an anonymous caller. */
  readonly user: string | null;
  /** JSON text. */
  readonly state: string;
}

/** An event of a room, as its members receive it. */
export type RoomEvent =
  | { readonly type: 'joined'; readonly member: RoomMember }
  | { readonly type: 'left'; readonly id: string }
  | { readonly type: 'state'; readonly id: string; readonly state: string }
  /** `data`: JSON text. */
  | { readonly type: 'message'; readonly from: string; readonly data: string };

interface LocalMember {
  member: RoomMember;
  readonly deliver: (event: RoomEvent) => void;
}

/** A room with local members. */
export interface Room {
  readonly local: Map<string, LocalMember>;
  /** Members on other nodes. */
  readonly remote: Map<string, { readonly node: string; readonly member: RoomMember }>;
}

export const createRoom = (): Room => ({ local: new Map(), remote: new Map() });

export const membersOf = ({ local, remote }: Room): RoomMember[] =>
  [...local.values(), ...remote.values()].map(({ member }) => member);

/** Returns a member with its current state; undefined if it has left. */
export const memberOf = ({ local, remote }: Room, id: string): RoomMember | undefined =>
  (local.get(id) ?? remote.get(id))?.member;

/** Delivers an event to the local members of a room, except the one that caused it. */
export function deliver({ local }: Room, event: RoomEvent, cause?: string): void {
  for (const [id, one] of local) if (id !== cause) one.deliver(event);
}

/** Records a member on another node. */
export function putRemote(room: Room, node: string, member: RoomMember): void {
  const known = room.remote.get(member.id);
  room.remote.set(member.id, { node, member });
  if (known === undefined) deliver(room, { type: 'joined', member });
  else if (known.member.state !== member.state) deliver(room, { type: 'state', id: member.id, state: member.state });
}

export function removeRemote(room: Room, id: string): void {
  if (room.remote.delete(id)) deliver(room, { type: 'left', id });
}

/** Removes the members of a node, except those named. */
export function keepRemote(room: Room, node: string, ids: ReadonlySet<string>): void {
  for (const [id, one] of room.remote) if (one.node === node && !ids.has(id)) removeRemote(room, id);
}
