import { useEffect, useMemo, useRef, useState } from 'react';
import type { Room, RoomHandlers, RoomMember } from '../query/room.ts';

/** A client with rooms. */
interface HasRooms {
  room<S, D>(ref: string): Room<S, D>;
}

/**
 * Returns the room of a document, which the component is in while it is shown. Handlers may be created during render.
 *
 * @param ref `<collection>/<document id>`; null: none
 */
export function useRoom<S = unknown, D = unknown>(
  client: HasRooms,
  ref: string | null,
  handlers: RoomHandlers<S, D> = {},
): Room<S, D> | null {
  const current = useRef(handlers);
  current.current = handlers;
  const room = useMemo(() => (ref === null ? null : client.room<S, D>(ref)), [client, ref]);
  useEffect(() => {
    if (room === null) return undefined;
    const stop = room.on({
      onMembers: (members) => current.current.onMembers?.(members),
      onMessage: (data, from) => current.current.onMessage?.(data, from),
      onState: (state) => current.current.onState?.(state),
      onError: (error, willRetry) => current.current.onError?.(error, willRetry),
    });
    return () => {
      stop();
      room.leave();
    };
  }, [room]);
  return room;
}

const NOBODY: readonly never[] = [];

/** Returns the members of a room, including the client. Renders again when they change. */
export function usePresence<S>(room: Pick<Room<S>, 'on'> | null): readonly RoomMember<S>[] {
  const [members, setMembers] = useState<readonly RoomMember<S>[]>(NOBODY);
  useEffect(() => {
    if (room === null) return undefined;
    const stop = room.on({ onMembers: setMembers });
    return () => {
      stop();
      setMembers(NOBODY);
    };
  }, [room]);
  return members;
}
