import {
  type Actor,
  ANONYMOUS,
  AppError,
  type Authentication,
  type ErrorCode,
  isAppError,
  type Logger,
  type Rooms,
} from '@baobab/core';
import { type ClientFrame, errorFrame, parseFrame, subjectOf, textIn } from './frames.ts';
import { createOutgoing } from './outgoing.ts';
import { createRoomSeats } from './room-seats.ts';
import { createSubscriptions, type SubscriptionDeps } from './subscriptions.ts';
import type { UpgradedSocket } from './upgrades.ts';

/** Time for the first message, in milliseconds. */
const HELLO_LIMIT_MS = 10_000;
/** Maximum number of messages that wait to be processed. Beyond it the socket is not read. */
const MAX_WAITING = 8;

export interface LiveConnectionDeps extends SubscriptionDeps {
  readonly authentication: Pick<Authentication, 'byToken'>;
  readonly appCode: string;
  readonly rooms: Rooms;
  readonly logger: Logger;
}

export interface LiveCaller {
  /** Caller by the headers of the handshake; null if the first message has the credentials. */
  readonly actor: Actor | null;
  readonly address: string;
}

const codeOf = (error: unknown): ErrorCode => (isAppError(error) ? error.code : 'storage.unavailable');

/** Serves a socket until it closes. Processes its messages one by one. */
export function serveLive(
  deps: LiveConnectionDeps,
  { actor: known, address }: LiveCaller,
  upgraded: UpgradedSocket,
): void {
  const { authentication, appCode, changeStreams, logger } = deps;
  const { socket } = upgraded;
  const outgoing = createOutgoing(upgraded);
  const subscriptions = createSubscriptions(deps, outgoing);
  const seats = createRoomSeats(deps.rooms, outgoing);
  let actor: Actor | null = null;
  let isClosed = false;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  let leave: () => void = () => undefined;
  const helloLimit = setTimeout(() => outgoing.end('auth.required'), HELLO_LIMIT_MS);

  /** @throws as `ChangeStreams.carry` */
  async function admit(caller: Actor): Promise<void> {
    const left = await changeStreams.carry(caller, address, { beat: outgoing.beat, end: outgoing.end });
    clearTimeout(helloLimit);
    if (isClosed) {
      left();
      return;
    }
    leave = left;
    actor = caller;
    outgoing.send(JSON.stringify({ type: 'welcome', user: caller.user?.name ?? null }));
  }

  /** @throws `app_code.invalid`, `session.invalid` */
  async function callerIn(frame: ClientFrame): Promise<Actor> {
    if (frame.type !== 'hello') throw new AppError('auth.required');
    const [code, token] = [textIn(frame, 'appCode'), textIn(frame, 'session')];
    if (code !== appCode && (code !== null || token === null)) throw new AppError('app_code.invalid');
    return token === null ? ANONYMOUS : authentication.byToken(token);
  }

  async function obey(caller: Actor, frame: ClientFrame): Promise<void> {
    switch (frame.type) {
      case 'hello':
        throw new AppError('input.invalid', { detail: 'the socket is already authenticated', input: 'type' });
      case 'ping':
        outgoing.send('{"type":"pong"}');
        return;
      case 'subscribe':
        await subscriptions.add(caller, address, frame);
        if (isClosed) subscriptions.close();
        return;
      case 'unsubscribe':
        subscriptions.remove(frame);
        return;
      case 'join':
        await seats.join(caller, address, frame);
        if (isClosed) seats.close();
        return;
      case 'state':
        seats.setState(frame);
        return;
      case 'send':
        seats.send(frame);
        return;
      case 'leave':
        seats.leave(frame);
    }
  }

  function refuse(error: unknown, about?: Readonly<Record<string, unknown>>): void {
    if (!isAppError(error)) logger.error({ err: error }, 'a message of a live socket failed');
    outgoing.send(errorFrame(error, about));
  }

  async function process(text: string): Promise<void> {
    await outgoing.ready();
    if (isClosed) return;
    if (actor === null) {
      try {
        await admit(await callerIn(parseFrame(text)));
      } catch (error) {
        refuse(error);
        outgoing.end(codeOf(error));
      }
      return;
    }
    try {
      await obey(actor, parseFrame(text));
    } catch (error) {
      refuse(error, subjectOf(text));
    }
  }

  function enqueue(work: () => Promise<void>): void {
    waiting++;
    if (waiting === MAX_WAITING) socket.pause();
    last = last.then(work).then(() => {
      waiting--;
      if (waiting === 0 && socket.isPaused) socket.resume();
    });
  }

  socket.on('message', (data, isBinary) => {
    outgoing.heard();
    const text = isBinary ? '' : data.toString();
    enqueue(() => process(text));
  });
  // An invalid or too large message. The socket closes afterwards.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    isClosed = true;
    clearTimeout(helloLimit);
    subscriptions.close();
    seats.close();
    leave();
  });
  if (known !== null) {
    enqueue(async () => {
      try {
        await admit(known);
      } catch (error) {
        refuse(error);
        outgoing.end(codeOf(error));
      }
    });
  }
}
