import type { AnyApp, AppTypes, Baobab, PushMessage, PushState, Stored, WriteOptions } from '@baobab/client';
import type { AdminClient } from '@baobab/client/admin';
import type { BeforeEvent, BeforeEvents } from '@baobab/core';
import type { XStatic } from 'typebox/schema';
import type { AfterEvent } from './after.ts';

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Type of the values that a schema accepts. */
export type ValueOf<S extends JsonSchema | undefined> = S extends JsonSchema ? XStatic<S> : unknown;

/** The user or API key on whose behalf a request runs. */
export interface Caller {
  /** Id of the user; for an API key, of the administrator who created it. */
  readonly id: string;
  /** Null for an API key. */
  readonly username: string | null;
  readonly isAdmin: boolean;
}

/** The parts of the client that are available on the server: all except sessions. */
export type DataClient<A extends AppTypes = AnyApp> = Omit<Baobab<A>, 'types' | 'auth' | 'close'>;

/** Access to data with the rights of the caller. Every call passes the same checks as a request. */
export interface Data<A extends AppTypes = AnyApp> extends DataClient<A> {
  /** Returns access with the rights of the built-in administrator. */
  asAdministrator(): AdminData<A>;
}

/** Access to data with the rights of the built-in administrator. */
export interface AdminData<A extends AppTypes = AnyApp> extends DataClient<A> {
  readonly admin: AdminClient<A>['admin'];
}

export interface ExtensionLogger {
  debug(values: object, message: string): void;
  info(values: object, message: string): void;
  warn(values: object, message: string): void;
  /** Somebody has to act. An error object belongs under `err`. */
  error(values: object, message: string): void;
}

export interface FetchOptions extends RequestInit {
  /** True to allow private addresses, such as a service in the same network; default false. */
  readonly allowPrivate?: boolean;
}

/** A mail to a user. */
export interface ExtensionMail {
  readonly userId: string;
  /** Address of the user. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Default: the text. */
  readonly html?: string;
  /** A mail replaces one to the same user with the same topic that waits; default `extension`. */
  readonly topic?: string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RouteOptions<Body extends JsonSchema | undefined> {
  /**
   * Callers that may use the route. `user` (default): signed-in users and API keys. `admin`: administrators. `anybody`:
   * also callers with only the application code. `open`: all callers, for other services.
   */
  readonly access?: 'user' | 'admin' | 'anybody' | 'open';
  /** Short description for the API reference. */
  readonly summary?: string;
  /** JSON Schema of the body. A body that does not conform to it is refused with `input.invalid`. */
  readonly body?: Body;
  /** Names of the query parameters. Others are refused with `query.unknown`, except on open routes. */
  readonly query?: readonly string[];
  /** JSON Schema of the result, for the API reference only. */
  readonly returns?: JsonSchema;
}

export interface RouteRequest<A extends AppTypes, Body> {
  /** Null for anonymous callers. */
  readonly caller: Caller | null;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON body; undefined without one. */
  readonly body: Body;
  /** The body as received, for signatures; null without one. */
  readonly text: string | null;
  readonly data: Data<A>;
  /** Id of the request in the log. */
  readonly requestId: string;
}

/** Content of documents in a collection, as the app declares it. */
type ContentIn<A extends AppTypes, C> = C extends keyof A['collections'] ? A['collections'][C] : JsonContent;

/** A JSON object. */
export type JsonContent = { [member: string]: unknown };

/** Argument of a hook of `app.before`. Hooks may change or replace `content`. */
export type BeforeHookEvent<A extends AppTypes, E extends BeforeEvent, C> = {
  readonly [Member in Exclude<keyof BeforeEvents[E], 'content' | 'document'>]: BeforeEvents[E][Member];
} & (BeforeEvents[E] extends { content: unknown } ? { content: ContentIn<A, C> } : unknown) &
  (BeforeEvents[E] extends { readonly document: infer D }
    ? { readonly document: Omit<D, 'content'> & { readonly content: ContentIn<A, C> } }
    : unknown) & {
    /** Null for anonymous callers. */
    readonly caller: Caller | null;
    readonly data: AdminData<A>;
  };

export interface BeforeOptions<C> {
  /** For documents: name of the collection; absent for all. */
  readonly collection?: C;
  /** Maximum duration in milliseconds, 1 to 30,000; default 1,000. */
  readonly timeout?: number;
}

/** Argument of a handler of `app.after`. */
export type AfterHandlerEvent<A extends AppTypes, E extends AfterEvent, C> = {
  readonly data: AdminData<A>;
  /** The same for each attempt to handle the same event. */
  readonly messageId: string;
  /** Time at which the document or user was read, in ISO format. */
  readonly timestamp: string;
} & (E extends 'document.put'
  ? {
      readonly event: E;
      readonly collection: string;
      readonly id: string;
      /** 1 for a new document, unless it has changed since. */
      readonly version: number;
      readonly document: Stored<ContentIn<A, C>>;
    }
  : E extends 'document.gone'
    ? { readonly event: E; readonly collection: string; readonly id: string }
    : {
        readonly event: E;
        readonly id: string;
        readonly username: string;
        readonly guest: boolean;
        /** Sections of the profile. */
        readonly profile: Readonly<Record<string, JsonContent>>;
      });

export interface AfterOptions<C> {
  /** For documents: name of the collection, or names. */
  readonly collection?: C | readonly C[];
  /** Filter, as in queries. A document that stops matching it is `gone`. With one collection only. */
  readonly where?: string;
}

/** Argument of a job of `app.every`. */
export interface JobRun<A extends AppTypes> {
  readonly data: AdminData<A>;
  /** The time for which the job runs. */
  readonly at: Date;
  /** Number of earlier runs that were missed, because no server ran or the previous run took too long. */
  readonly missed: number;
  /** Returns true if this process was suspended for so long that another one may have started the job again. */
  isLost(): boolean;
}

/** Members of every setting except secrets, which are always protected. */
interface ProtectedOrNot {
  readonly description: string;
  /**
   * True if a change needs an administrator with a fresh login, and is refused to API keys: for settings that determine
   * who gets data, mails or rights.
   */
  readonly isProtected: boolean;
}

/** A setting of an extension. Its type is that of the default. */
export type SettingDeclaration =
  | (ProtectedOrNot & {
      readonly default: string;
      /** True to allow several lines. */
      readonly lines?: boolean;
    })
  | (ProtectedOrNot & {
      /** A whole number. */
      readonly default: number;
      readonly min?: number;
      readonly max?: number;
    })
  | (ProtectedOrNot & { readonly default: boolean })
  | {
      /** A text that is stored encrypted, and never shown. Its default is empty. */
      readonly secret: true;
      readonly description: string;
    };

/** Values of declared settings, by name. */
export type SettingValuesOf<S> = {
  readonly [Name in keyof S]: S[Name] extends { readonly default: number }
    ? number
    : S[Name] extends { readonly default: boolean }
      ? boolean
      : string;
};

/** Declarations of an extension. They are complete when its function returns. */
export interface ExtensionApp<A extends AppTypes = AnyApp> {
  /**
   * Adds a route under `/ext/`. The value to which the handler resolves is the `data` of the response. A handler has 30
   * seconds, after which the response is 503 `extension.timeout`.
   */
  route<const Body extends JsonSchema | undefined = undefined>(
    method: Method,
    path: `/ext/${string}`,
    options: RouteOptions<Body>,
    handler: (request: RouteRequest<A, ValueOf<Body>>) => unknown,
  ): void;
  /**
   * Adds a hook that runs before a write, outside of its transaction. It may change `event.content`, or refuse the write
   * with `throw refuse(…)`. A write of a document commits only if the document is still as the hook was shown it;
   * otherwise the hook runs again, up to three times. Batches, patches and repeated requests pass the hook once for each
   * document.
   */
  before<E extends BeforeEvent, const C extends (keyof A['collections'] & string) | undefined = undefined>(
    event: E,
    options: BeforeOptions<C>,
    hook: (event: BeforeHookEvent<A, E, C>) => unknown,
  ): void;
  /**
   * Adds a handler that runs after something was committed: at least once, on one node, in order for each document, also
   * after a restart. It may skip intermediate versions of a document. A handler that fails or takes more than 15 seconds
   * is retried with increasing pauses for three days; then the event counts as failed. The console lists the events
   * among the webhooks, and can replay them. It begins with the changes after its first start.
   *
   * @param name unique among all extensions; keep it when you change the handler
   */
  after<E extends AfterEvent, const C extends keyof A['collections'] & string = never>(
    events: E | readonly E[],
    name: string,
    options: AfterOptions<C>,
    handler: (event: AfterHandlerEvent<A, E, C>) => unknown,
  ): void;
  /**
   * Adds a job that runs at certain times, each time on one node, and never twice at once.
   *
   * @param times cron expression in UTC: minute, hour, day of the month, month, day of the week
   * @param name unique among all extensions
   */
  every(times: string, name: string, job: (run: JobRun<A>) => unknown): void;
  /**
   * Adds settings to the section `Extensions`, which administrators change at runtime. Their keys begin with
   * `extension.` and the name of the module. `current()` resolves to the values, and is cheap enough to be called each time.
   */
  settings<const S extends Readonly<Record<string, SettingDeclaration>>>(
    declared: S,
  ): { current(): Promise<SettingValuesOf<S>> };
  /** Access to data with the rights of the built-in administrator. Available once the server is ready. */
  readonly data: AdminData<A>;
  /** Sends mails through the mail server of the settings: stored, sent in the background, and retried for a day. */
  readonly mail: { send(mail: ExtensionMail): Promise<void> };
  /** Sends notifications through the push services of the settings: stored, sent in the background, and retried. */
  readonly push: {
    /** @param users names of the recipients. An `idempotencyKey` in the options makes repeated calls safe. */
    send(users: string | readonly string[], message: PushMessage, options?: WriteOptions): Promise<PushState>;
  };
  readonly log: ExtensionLogger;
  /**
   * Like the global `fetch`, but connects to public addresses only unless `allowPrivate` is set, and does not follow
   * redirects.
   */
  fetch(url: string | URL, options?: FetchOptions): Promise<Response>;
}

/** An extension, as `defineExtension` returns it. */
export interface Extension {
  readonly kind: 'baobab-extension';
  readonly register: (app: ExtensionApp) => void;
}
