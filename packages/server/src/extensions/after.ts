import { createHash } from 'node:crypto';
import { type DeclaredHandler, handlerAt, type Logger, type WebhookAnswer, type WebhookSender } from '@baobab/core';
import { inTime, logFailure, messageOf } from './failures.ts';
import type { AdminData, AfterOptions } from './types.ts';

/** Less than the time in which a sender of webhooks has to answer, in milliseconds. */
const LIMIT_MS = 15_000;
const NAME = /^[a-z][a-z0-9-]{0,63}$/;
const EVENTS = ['document.put', 'document.gone', 'user.create'] as const;

export type AfterEvent = (typeof EVENTS)[number];

export interface AfterDeclaration {
  /** Name of the extension. */
  readonly extension: string;
  readonly events: AfterEvent | readonly AfterEvent[];
  readonly name: string;
  readonly options: AfterOptions<string>;
  readonly run: (event: object) => unknown;
}

export interface AfterHandler extends DeclaredHandler {
  readonly extension: string;
  readonly takesUsers: boolean;
  readonly run: (event: object) => unknown;
}

/** @throws `Error` for a name that is not valid in a log, a URL and a table */
export function checkName(name: string): void {
  if (!NAME.test(name)) throw new Error(`"${name}": a name is up to 64 lower-case letters, digits and "-"`);
}

/** Returns a UUID that every node derives from the name. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(`extension:${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Validates a declaration. @throws `Error` */
export function declareHandler({ extension, events, name, options, run }: AfterDeclaration): AfterHandler {
  checkName(name);
  const part = `after "${name}"`;
  const wanted = [events].flat();
  const unknown = wanted.find((event) => !EVENTS.includes(event));
  if (unknown !== undefined) throw new Error(`${part}: there is no event "${unknown}"; there are ${EVENTS.join(', ')}`);
  const option = Object.keys(options).find((one) => one !== 'collection' && one !== 'where');
  if (option !== undefined) throw new Error(`${part}: there is no option "${option}"`);
  const collections = [options.collection ?? []].flat();
  const types = (['put', 'gone'] as const).filter((type) => wanted.includes(`document.${type}`));
  if (types.length > 0 !== collections.length > 0) {
    throw new Error(`${part}: events of documents need the option "collection", and others have none`);
  }
  if (options.where !== undefined && collections.length !== 1) {
    throw new Error(`${part}: "where" needs exactly one collection`);
  }
  if (typeof run !== 'function') throw new Error(`${part}: a function is expected as the last argument`);
  return {
    id: idOf(name),
    name,
    collections,
    types,
    where: options.where ?? null,
    description: `Handler "${name}" of the extension ${extension}`,
    extension,
    takesUsers: wanted.includes('user.create'),
    run,
  };
}

export interface HandlerSenderDeps {
  readonly logger: Logger;
  readonly data: AdminData;
}

/** Wraps a sender of webhooks: messages to functions of extensions stay in this process. */
export function withHandlers(
  sender: WebhookSender,
  handlers: readonly AfterHandler[],
  { logger, data }: HandlerSenderDeps,
): WebhookSender {
  const byName = new Map(handlers.map((handler) => [handler.name, handler]));

  async function hand(name: string, id: string, body: string): Promise<WebhookAnswer> {
    const answer = { status: null, body: null, isRefused: false, retryAfter: null };
    const handler = byName.get(name);
    if (handler === undefined) return { ...answer, error: `No extension of this node declares "${name}"` };
    const { type, timestamp, data: about } = JSON.parse(body);
    try {
      if (type !== 'test') {
        await inTime(LIMIT_MS, () => handler.run({ ...about, event: type, messageId: id, timestamp, data }));
      }
      return { ...answer, status: 200, error: null };
    } catch (error) {
      logFailure(error, { extension: handler.extension, part: `after ${name}`, requestId: null }, logger);
      return { ...answer, error: `The handler failed: ${messageOf(error)}`.replaceAll('\0', '') };
    }
  }

  return {
    ...sender,
    async send(request) {
      const name = handlerAt(request.url);
      return name === null ? sender.send(request) : hand(name, request.id, request.body);
    },
  };
}
