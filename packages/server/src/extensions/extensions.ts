import type {
  Actor,
  DeclaredHandler,
  Hooks,
  Letter,
  Logger,
  Schedule,
  SchemaCompiler,
  SettingGroup,
  Settings,
  WebhookSender,
} from '@baobab/core';
import type { ExtensionRoute, InternalActor } from '@baobab/http';
import type { FastifyInstance } from 'fastify';
import { type AfterHandler, declareHandler, withHandlers } from './after.ts';
import { createInternalCalls } from './data.ts';
import type { NamedExtension } from './extension-error.ts';
import { createHooks, type DeclaredHook, declareHook } from './hooks.ts';
import { declareJob } from './jobs.ts';
import { loadError } from './load.ts';
import { letterOf } from './mail.ts';
import { createRoute, type DeclaredRoute } from './routes.ts';
import { defineExtensionSettings } from './settings.ts';
import type { ExtensionApp, FetchOptions, SettingDeclaration, SettingValuesOf } from './types.ts';

/** Parts of the running server that extensions use. */
interface ServerParts {
  readonly app: FastifyInstance;
  readonly administrator: () => Promise<Actor>;
  readonly post: (letter: Letter) => Promise<void>;
  readonly settings: Pick<Settings, 'current'>;
}

/** Routes, hooks, handlers and jobs that the extensions of a server have declared. */
export interface Extensions {
  readonly routes: readonly ExtensionRoute[];
  readonly hooks: Hooks;
  readonly handlers: readonly DeclaredHandler[];
  readonly schedules: readonly Schedule[];
  readonly settings: SettingGroup;
  /** Returns a sender of webhooks that also reaches the handlers. */
  senderFor(sender: WebhookSender): WebhookSender;
  readonly internalActor: InternalActor;
  /** Connects the extensions to the server. To be called before their first function runs. */
  bind(parts: ServerParts): void;
  close(): Promise<void>;
}

/** Adapters that extensions use. */
interface ExtensionAdapters {
  readonly schemaCompiler: SchemaCompiler;
  fetch(url: string | URL, options: FetchOptions): Promise<Response>;
  close(): Promise<void>;
}

export interface ExtensionsOptions {
  readonly extensions: readonly NamedExtension[];
  readonly adapters: ExtensionAdapters;
  readonly logger: Logger;
  readonly appCode: string;
}

const isThenable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** Collects the declarations of extensions. @throws `ExtensionError` */
export async function createExtensions(options: ExtensionsOptions): Promise<Extensions> {
  const { extensions, adapters, logger, appCode } = options;
  const { schemaCompiler } = adapters;
  let parts: ServerParts | null = null;
  const routes: ExtensionRoute[] = [];
  const hooks: DeclaredHook[] = [];
  const handlers: AfterHandler[] = [];
  const schedules: Schedule[] = [];
  const settings: Record<string, SettingGroup['settings'][string]> = {};

  function running(): ServerParts {
    if (parts === null) throw new Error('the server is not ready yet: use this in handlers only');
    return parts;
  }

  const calls = createInternalCalls({
    app: () => running().app,
    appCode,
    administrator: () => running().administrator(),
  });

  const data = calls.dataOf(() => running().administrator(), null);

  function addRoute(extension: string, declared: DeclaredRoute): void {
    const route = createRoute(declared, { extension, logger, schemaCompiler, calls });
    const shape = (path: string) => path.replace(/:\w+/g, ':');
    const twin = routes.find(({ method, path }) => method === route.method && shape(path) === shape(route.path));
    if (twin !== undefined) throw new Error(`${route.method} ${route.path}: this route is declared twice`);
    routes.push(route);
  }

  /** Adds a handler or a job. @throws `Error` if its name is taken */
  function addNamed<T extends { readonly name: string }>(all: T[], one: T): void {
    if (all.some(({ name }) => name === one.name)) throw new Error(`"${one.name}": this name is used twice`);
    all.push(one);
  }

  /** Adds settings. Returns a reader of their values. @throws `Error` */
  function addSettings<S extends Readonly<Record<string, SettingDeclaration>>>(extension: string, declared: S) {
    const defined = defineExtensionSettings(extension, declared);
    const twin = Object.keys(defined.settings).find((key) => Object.hasOwn(settings, key));
    if (twin !== undefined) throw new Error(`the setting ${twin} is declared twice`);
    Object.assign(settings, defined.settings);
    return {
      async current(): Promise<SettingValuesOf<S>> {
        const all = (await running().settings.current()) as Readonly<Record<string, unknown>>;
        const values = Array.from(defined.keys, ([name, key]) => [name, all[key]]);
        return Object.fromEntries(values) as SettingValuesOf<S>;
      },
    };
  }

  function appFor(name: string): ExtensionApp {
    const log = (level: keyof Logger) => (values: object, message: string) =>
      logger[level]({ extension: name, ...values }, message);
    return {
      route: (method, path, given, handler) => addRoute(name, { method, path, options: given, handler } as never),
      before: (event, given, run) => hooks.push(declareHook({ extension: name, event, options: given, run } as never)),
      after: (events, handler, given, run) =>
        addNamed(handlers, declareHandler({ extension: name, events, name: handler, options: given, run } as never)),
      every: (times, job, run) =>
        addNamed(schedules, declareJob({ extension: name, times, name: job, run, data, logger })),
      data,
      settings: (declared) => addSettings(name, declared),
      push: { send: (users, message, given) => data.push.send([users].flat(), message, given) },
      mail: { send: (mail) => running().post(letterOf(mail)) },
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
      fetch: (url, given = {}) => adapters.fetch(url, given),
    };
  }

  for (const { name, path, extension } of extensions) {
    try {
      const result: unknown = extension.register(appFor(name));
      if (isThenable(result)) {
        Promise.resolve(result).catch(() => undefined);
        throw new Error('the function of defineExtension must be synchronous; await in handlers');
      }
    } catch (error) {
      throw await loadError(error, path);
    }
  }

  const afterUser = handlers.filter(({ takesUsers }) => takesUsers).map(({ id }) => id);
  return {
    routes,
    hooks: createHooks(hooks, { logger, data, afterUser }),
    handlers,
    schedules,
    settings: { section: 'Extensions', settings },
    senderFor: (sender) => withHandlers(sender, handlers, { logger, data }),
    internalActor: calls.internalActor,
    bind(given) {
      parts = given;
    },
    close: () => adapters.close(),
  };
}
