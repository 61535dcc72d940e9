import type { Logger } from '@baobab/core';
import type { Command } from 'commander';
import type { Environment } from '../../config.ts';
import type { CommandDeps } from '../deps.ts';
import type { Host } from '../host.ts';
import { createOutput, type OutputOptions } from '../output.ts';

const nothing = () => undefined;

/** Writes warnings to standard error. */
function createLogger({ stderr }: Host): Logger {
  const note = (bindings: object, message: string) => {
    const { err } = bindings as { err?: unknown };
    stderr.write(`baobab: ${message}${err instanceof Error ? `: ${err.message}` : ''}\n`);
  };
  return { debug: nothing, info: nothing, warn: note, error: note };
}

/** Adds `--json`, before or after the command name, to a command that prints a result. */
export const printing = (command: Command): Command => command.option('--json', 'print the result as one JSON object');

/** Creates the dependencies of a command. */
export type DepsOf = (command: Command, options?: Pick<OutputOptions, 'results'>) => CommandDeps;

export function createDepsOf(env: Environment, host: Host): DepsOf {
  const logger = createLogger(host);
  return (command, options = {}) => {
    const json = command.optsWithGlobals().json === true;
    return { env, host, logger, output: createOutput({ json, host, ...options }) };
  };
}

const collected = (value: string, values: readonly string[] = []) => [...values, value];

/** Adds the options of a list, named as in requests. */
export const listOptions = (command: Command): Command =>
  command
    .option('--where <condition>', 'a filter in the query language')
    .option('--orderBy <fields>', 'the order')
    .option('--fields <fields>', 'the members to print')
    .option('--groupBy <fields>', 'the fields to group by')
    .option('--params <value>', 'the value of a ?; repeat it for each ?', collected)
    .option('--page <number>', 'the page, from 0')
    .option('--recordsPerPage <number>', 'the size of a page')
    .option('--skip <number>', 'number of rows to skip')
    .option('--cursor <cursor>', 'continue after the page that printed this cursor')
    .option('--count', 'print only the number of rows');
