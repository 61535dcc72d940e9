import type { Logger } from '@baobab/core';
import type { Command } from 'commander';
import type { CommandDeps } from '../deps.ts';
import { createOutput, type OutputOptions } from '../output.ts';

const note = (bindings: object, message: string) => {
  const { err } = bindings as { err?: unknown };
  process.stderr.write(`baobab: ${message}${err instanceof Error ? `: ${err.message}` : ''}\n`);
};
const nothing = () => undefined;

/** Warnings go to the standard error. */
export const logger: Logger = { debug: nothing, info: nothing, warn: note, error: note };

/** A command that prints a result: `--json` may stand before or after its name. */
export const printing = (command: Command): Command => command.option('--json', 'print the result as one JSON object');

/** What a command works with. */
export function depsOf(command: Command, options: Pick<OutputOptions, 'results'> = {}): CommandDeps {
  const json = command.optsWithGlobals().json === true;
  return { env: process.env, logger, output: createOutput({ json, ...options }) };
}
