import type { AnyApp, AppTypes } from '@baobab/client';
import type { Extension, ExtensionApp } from './types.ts';

export type {
  AdminData,
  AfterHandlerEvent,
  AfterOptions,
  BeforeHookEvent,
  BeforeOptions,
  Caller,
  Data,
  DataClient,
  Extension,
  ExtensionApp,
  ExtensionLogger,
  ExtensionMail,
  FetchOptions,
  JobRun,
  JsonContent,
  JsonSchema,
  Method,
  RouteOptions,
  RouteRequest,
  SettingDeclaration,
  SettingValuesOf,
  ValueOf,
} from './types.ts';

/**
 * Defines an extension. Export the result as the default export of a module that `EXTENSIONS` lists.
 *
 * @param register declares what the extension adds. It must be synchronous. `A` are the types of the app, as `baobab
 * types` writes them.
 */
export const defineExtension = <A extends AppTypes = AnyApp>(register: (app: ExtensionApp<A>) => void): Extension => ({
  kind: 'baobab-extension',
  register: register as unknown as Extension['register'],
});

export interface RefusalOptions {
  /** Code for programs, such as `task.closed`; default `extension.refused`. */
  readonly code?: string;
  /** HTTP status, from 400 to 499; default 400. */
  readonly status?: number;
}

/** Returns an error that refuses a call with a message for the caller: `throw refuse('The task is closed')`. */
export function refuse(message: string, { code = 'extension.refused', status = 400 }: RefusalOptions = {}): Error {
  if (!Number.isInteger(status) || status < 400 || status > 499) {
    throw new RangeError('the status of a refusal is between 400 and 499');
  }
  // An own name: the program has another copy of this module.
  return Object.assign(new Error(message), { name: 'BaobabRefusal', code, status });
}
