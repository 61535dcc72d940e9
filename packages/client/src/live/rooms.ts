import { BaobabError } from '../errors.ts';
import type { LiveState } from '../query/live.ts';
import type { Room, RoomHandlers, RoomMember } from '../query/room.ts';
import { sleep } from '../transport/limits.ts';
import { waitBefore } from '../transport/retry.ts';
import { call } from './call.ts';
import { type Connection, type Connector, type Frame, frameError } from './connection.ts';

interface RoomFrame extends Omit<Frame, 'id'> {
  readonly id?: number | string;
  readonly members?: readonly RoomMember[];
  readonly member?: RoomMember;
  readonly from?: string;
  readonly state?: unknown;
  readonly self?: string;
}

type Handlers = RoomHandlers<unknown, unknown>;

/** Minimum time between two changes of a state, in milliseconds. The server accepts 50 messages a second. */
const TRACK_MS = 50;
/** Pause after a failure that time does not fix soon, in milliseconds. */
const BLOCKED_MS = 10_000;
/** Maximum number of messages that wait for the first connection. */
const MAX_WAITING = 50;

const isFinal = ({ status, code }: BaobabError) =>
  status >= 400 && status < 500 && status !== 429 && code !== 'session.invalid';

const unavailable = (reason: string) =>
  reason === 'unauthenticated'
    ? new BaobabError('session.invalid', 'The session has ended')
    : new BaobabError('client.network', 'Rooms need a WebSocket, and there is no connection');

/** The place of a client in one room, which everything in the client shares. */
function createSeat(ref: string, connector: Connector, isUsed: () => boolean) {
  const handlers = new Set<Handlers>();
  let members = new Map<string, RoomMember>();
  let shown: readonly RoomMember[] = [];
  let state: LiveState = 'connecting';
  let tracked: unknown = null;
  /** Id of the user who tracks the state, and of the one in the room. */
  let owner: string | undefined;
  let userId: string | undefined;
  let trackTimer: ReturnType<typeof setTimeout> | undefined;
  let waiting: unknown[] = [];
  let transmit: ((message: object) => void) | null = null;
  let controller: AbortController | null = null;
  let failures = 0;
  /** Id of this client in the room, and the state that the server knows, as JSON. */
  let self = '';
  let known: string | undefined;

  const each = (use: (one: Handlers) => void) => {
    for (const one of [...handlers]) if (handlers.has(one)) call(() => use(one));
  };

  function become(next: LiveState): void {
    if (state === next) return;
    state = next;
    each(({ onState }) => onState?.(next));
  }

  function show(): void {
    shown = [...members.values()];
    each(({ onMembers }) => onMembers?.(shown));
  }

  function fail(error: BaobabError, willRetry: boolean): void {
    each(({ onError }) => onError?.(error, willRetry));
    if (!willRetry) become('failed');
  }

  /** Returns the state to show: never the one of another user. */
  const stateNow = () => (owner === undefined || owner === userId ? tracked : null);

  /** Sends the tracked state, unless the server knows it. */
  function publish(): void {
    const own = members.get(self);
    const next = stateNow();
    const text = JSON.stringify(next);
    if (text === known || own === undefined) return;
    known = text;
    members.set(self, { ...own, state: next });
    transmit?.({ type: 'state', room: ref, state: next });
  }

  function enter(frame: RoomFrame): void {
    members = new Map((frame.members ?? []).map((member) => [member.id, member]));
    failures = 0;
    self = frame.self ?? '';
    become('live');
    publish();
    for (const data of waiting.splice(0)) transmit?.({ type: 'send', room: ref, data });
    show();
  }

  function change({ type, member, id, state: next }: RoomFrame): void {
    const known = members.get(String(id));
    if (type === 'left') members.delete(String(id));
    if (type === 'joined' && member !== undefined) members.set(member.id, member);
    if (type === 'state' && known !== undefined) members.set(known.id, { ...known, state: next });
    show();
  }

  function take(frame: RoomFrame): void {
    if (frame.type === 'presence') enter(frame);
    else if (frame.type !== 'message') change(frame);
    else each(({ onMessage }) => onMessage?.(frame.data, members.get(frame.from ?? '')));
  }

  /** Is in the room until the connection ends, or the server says why not. */
  function occupy(connection: Connection, signal: AbortSignal): Promise<BaobabError | null> {
    return new Promise((resolve) => {
      const sink = {
        take(frame: Frame): void {
          if (frame.type === 'end') resolve(frameError({ ...(frame.data as Frame), status: 403 }));
          else if (frame.type !== 'error') take(frame);
          else if (state === 'live') fail(frameError(frame), true);
          else resolve(frameError(frame));
        },
        end: () => resolve(null),
      };
      connection.add(sink, ref);
      signal.addEventListener('abort', () => resolve(null));
      transmit = connection.send;
      userId = connection.userId;
      known = JSON.stringify(stateNow());
      connection.send({ type: 'join', room: ref, state: stateNow() });
    });
  }

  /** Reports why the client is not in the room. Returns the pause before the next attempt; null if there is none. */
  function pauseAfter(failure: BaobabError | null): number | null {
    const willRetry = failure === null || !isFinal(failure);
    if (failure !== null) fail(failure, willRetry);
    show();
    return willRetry ? (waitBefore(failures++, failure ?? { retryAfter: null }) ?? BLOCKED_MS) : null;
  }

  /** Enters the room once. Resolves to the pause before the next attempt; null if there is none. */
  async function attempt(signal: AbortSignal): Promise<number | null> {
    const opened = await connector.open();
    if (signal.aborted) return null;
    if (typeof opened === 'string') {
      fail(unavailable(opened), true);
      return BLOCKED_MS;
    }
    const failure = await occupy(opened, signal);
    transmit = null;
    if (signal.aborted) opened.send({ type: 'leave', room: ref });
    opened.remove(ref);
    members.clear();
    return signal.aborted ? null : pauseAfter(failure);
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wait = await attempt(signal);
      if (wait === null || signal.aborted) return;
      become('connecting');
      await sleep(wait, signal).catch(() => undefined);
    }
  }

  function start(): void {
    if (controller !== null) return;
    controller = new AbortController();
    void run(controller.signal);
  }

  function stop(): void {
    controller?.abort();
    controller = null;
    clearTimeout(trackTimer);
    [trackTimer, waiting, shown, state] = [undefined, [], [], 'connecting'];
    members.clear();
  }

  return {
    members: () => shown,
    stop,
    /** Enters again, as another user. */
    restart(): void {
      if (controller === null) return;
      stop();
      show();
      start();
    },
    track(next: unknown): void {
      [tracked, owner] = [next, connector.userOf()];
      start();
      if (state === 'live' && trackTimer === undefined) {
        trackTimer = setTimeout(() => {
          trackTimer = undefined;
          publish();
          show();
        }, TRACK_MS);
      }
    },
    send(data: unknown): void {
      start();
      if (state === 'live') transmit?.({ type: 'send', room: ref, data });
      else if (waiting.length < MAX_WAITING) waiting.push(data);
    },
    on(given: Handlers): () => void {
      const one = { ...given };
      handlers.add(one);
      start();
      queueMicrotask(() => {
        if (!handlers.has(one)) return;
        call(() => one.onState?.(state));
        if (state === 'live') call(() => one.onMembers?.(shown));
      });
      return () => {
        handlers.delete(one);
        // A listener that subscribes again immediately, as in React's strict mode, keeps the place.
        queueMicrotask(() => {
          if (!isUsed() && handlers.size === 0) stop();
        });
      };
    },
    hasListeners: () => handlers.size > 0,
  };
}

/** Creates the rooms of a client. */
export function createRooms(connector: Connector) {
  const seats = new Map<string, ReturnType<typeof createSeat>>();
  /** Handles that track a state or have sent a message, by room. */
  const holders = new Map<string, Set<object>>();

  function seatOf(ref: string) {
    const seat = seats.get(ref) ?? createSeat(ref, connector, () => (holders.get(ref)?.size ?? 0) > 0);
    seats.set(ref, seat);
    return seat;
  }

  return {
    open<S, D>(ref: string): Room<S, D> {
      const handle = {};
      const hold = () => {
        const own = holders.get(ref) ?? new Set();
        holders.set(ref, own.add(handle));
        return seatOf(ref);
      };
      return {
        ref,
        get members() {
          return (seats.get(ref)?.members() ?? []) as readonly RoomMember<S>[];
        },
        track: (state) => hold().track(state),
        send: (data) => hold().send(data),
        on: (handlers) => seatOf(ref).on(handlers as Handlers),
        leave() {
          const own = holders.get(ref);
          own?.delete(handle);
          const seat = seats.get(ref);
          if (own?.size || seat?.hasListeners()) return;
          seat?.stop();
          holders.delete(ref);
        },
      };
    },
    restart(): void {
      for (const seat of seats.values()) seat.restart();
    },
    close(): void {
      for (const seat of seats.values()) seat.stop();
    },
  };
}
