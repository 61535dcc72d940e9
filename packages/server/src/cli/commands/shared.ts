import type { Logger } from '@baobab/core';
import type { Command } from 'commander';
import type { Environment } from '../../config.ts';
import type { CommandDeps } from '../deps.ts';
import { createOutput, type OutputOptions } from '../output.ts';

const note = (bindings: object, message: string) => {
  const { err } = bindings as { err?: unknown };
  process.stderr.write(`baobab: ${message}${err instanceof Error ? `: ${err.message}` : ''}\n`);
};
const nothing = () => undefined;

/** Warnings go to the standard error. */
const logger: Logger = { debug: nothing, info: nothing, warn: note, error: note };

/** A command that prints a result: `--json` may stand before or after its name. */
export const printing = (command: Command): Command => command.option('--json', 'print the result as one JSON object');

/** What a command works with. */
export type DepsOf = (command: Command, options?: Pick<OutputOptions, 'results'>) => CommandDeps;

export const createDepsOf =
  (env: Environment): DepsOf =>
  (command, options = {}) => {
    const json = command.optsWithGlobals().json === true;
    return { env, logger, output: createOutput({ json, ...options }) };
  };

const collected = (value: string, values: readonly string[] = []) => [...values, value];

/** The options of a list, named as in requests. */
export const listOptions = (command: Command): Command =>
  command
    .option('--where <condition>', 'a condition of the query language')
    .option('--orderBy <fields>', 'the order')
    .option('--fields <fields>', 'the members to print')
    .option('--groupBy <fields>', 'the fields to group by')
    .option('--params <value>', 'the value of a ?; repeat it for each ?', collected)
    .option('--page <number>', 'the page, from 0')
    .option('--recordsPerPage <number>', 'the size of a page')
    .option('--skip <number>', 'how many rows to skip')
    .option('--cursor <cursor>', 'continue where an earlier list ended')
    .option('--count', 'print only the number of rows');
