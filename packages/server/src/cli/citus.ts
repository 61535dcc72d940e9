import { type CitusCluster, type CitusStatus, openCitus } from '../composition/citus.ts';
import { parseConfig } from '../config.ts';
import type { CommandDeps } from './deps.ts';
import { table } from './table.ts';
import { UsageError } from './usage-error.ts';

const MEGABYTE = 1_000_000;
const MOST_SHARDS = 4096;
/**
 * An index on a collection names all its slices, but Postgres uses it for a single slice only if there are at most a
 * hundred.
 */
const MOST_SLICES = 64;

function clusterOf({ env }: CommandDeps): CitusCluster {
  const cluster = openCitus(parseConfig(env).database);
  if (cluster === null)
    throw new UsageError(
      'Citus needs a Postgres database: DATABASE_URL must be postgres://user:password@host:port/database',
    );
  return cluster;
}

/** @throws `UsageError` unless the text is a number in this range */
function numberIn(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  throw new UsageError(`${option} must be a whole number from ${least} to ${most}`);
}

function describe({ nodes, tables, spread, missing, moving }: CitusStatus): string {
  const of = (placement: string) =>
    tables
      .filter((one) => one.placement === placement)
      .map(({ name }) => name)
      .join(', ');
  const rows = nodes.map(({ host, port, isCoordinator, isActive, shards, bytes }) => [
    `${host}:${port}`,
    `${isCoordinator ? 'coordinator' : 'worker'}${isActive ? '' : ' (inactive)'}`,
    shards,
    Math.round(bytes / MEGABYTE),
  ]);
  const lines = [table(['node', 'role', 'shards', 'MB'], rows)];
  if (missing.length > 0) lines.push(`To do (baobab citus enable): ${missing.join('; ')}`);
  else lines.push(`Distributed by collection: ${of('distributed')}`, `On every node: ${of('reference')}`);
  if (spread.length > 0) lines.push(`Spread over all nodes: ${spread.map(({ name }) => name).join(', ')}`);
  if (moving !== null) lines.push(`A rebalance is moving ${moving} shards`);
  return lines.join('\n');
}

/** Distributes the database over the nodes of its cluster. */
export async function enableCitus(deps: CommandDeps, { shards }: { readonly shards: string }): Promise<void> {
  const report = (step: string) => void deps.host.stderr.write(`baobab: ${step}\n`);
  const status = await clusterOf(deps).enable({ shards: numberIn('--shards', shards, 1, MOST_SHARDS), report });
  deps.output.result(describe(status), status);
}

/** Shows the nodes, the placement of the data, and missing parts. */
export async function citusStatus(deps: CommandDeps): Promise<void> {
  const status = await clusterOf(deps).status();
  deps.output.result(describe(status), status);
}

/** Spreads the documents of a collection over the nodes. */
export async function spreadCollection(
  deps: CommandDeps,
  { name, slices }: { readonly name: string; readonly slices: string | undefined },
): Promise<void> {
  const count = slices === undefined ? null : numberIn('--slices', slices, 2, MOST_SLICES);
  const spread = await clusterOf(deps).spread({ name, slices: count });
  deps.output.result(`The documents of ${spread.name} are spread over ${spread.slices} shards`, spread);
}

/** Starts rebalancing the nodes. */
export async function rebalanceCitus(deps: CommandDeps): Promise<void> {
  const begun = await clusterOf(deps).rebalance();
  const text = begun
    ? 'Shards are being moved in the background; `baobab citus status` shows how many'
    : 'Nothing to move: the nodes have equally many shards';
  deps.output.result(text, { begun });
}
