import { AppError } from '@baobab/core';
import type { Send } from '../send.ts';

const HAS_CITUS = `select to_regclass('pg_catalog.pg_dist_partition') is not null as yes`;
const NODE = 'select groupid as node from pg_dist_local_group';
const IS_DISTRIBUTED = `select exists (select 1 from pg_dist_partition
  where logicalrelid = to_regclass('documents') and partmethod = 'h') as yes`;

const COORDINATOR = 0;

async function one<Row>(send: Send, text: string): Promise<Row | undefined> {
  return (await send(text)).rows[0] as Row | undefined;
}

/** Returns true if the extension is installed in this database. */
export const hasCitus = async (send: Send): Promise<boolean> =>
  (await one<{ yes: boolean }>(send, HAS_CITUS))?.yes === true;

/**
 * Only the coordinator has all tables, and transaction ids of different nodes have no common order.
 *
 * @throws `storage.unavailable` on a worker of a Citus cluster
 */
export async function refuseWorker(send: Send): Promise<void> {
  if (!(await hasCitus(send)) || (await one<{ node: number }>(send, NODE))?.node === COORDINATOR) return;
  throw new AppError('storage.unavailable', {
    detail: 'DATABASE_URL names a worker of the Citus cluster; name the coordinator',
  });
}

/**
 * Returns true if documents are distributed over several nodes. Costs one look-up if the extension is not installed.
 */
export const isDistributed = async (send: Send): Promise<boolean> =>
  (await hasCitus(send)) && (await one<{ yes: boolean }>(send, IS_DISTRIBUTED))?.yes === true;
