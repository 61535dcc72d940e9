import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createS3Blobs } from '@baobab/adapters/s3';
import { createNodeSecrets, createSystemClock, createSystemTimers } from '@baobab/adapters/system';
import { type Blobs, createHousekeeping, createPolicies, createRemovals, type Settings } from '@baobab/core';
import { createTestBackend } from '@baobab/server/testing';
import { afterEach, expect, it } from 'vitest';
import { s3Options, textBytes } from '../support/blobs.ts';
import { createHandDrivenClock, MINUTE, trusting } from '../support/clock.ts';
import { createDatabase } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

const DAY = 24 * 60 * MINUTE;
const NODES = 3;
const ORPHANS = 12;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

it('nodes on Postgres and S3 share the housekeeping: each task is done by one of them', async () => {
  const { url, drop } = await createDatabase();
  cleanups.push(drop);
  const backend = await createTestBackend({ databaseUrl: url });
  await backend.close();
  const options = s3Options();
  const clock = createHandDrivenClock(Date.now() + 3 * DAY);
  const walks: number[] = [];
  const removed: string[] = [];

  function startNode(number: number) {
    const storage = createPostgresStorage({ url, logger: silentLogger, connections: 2 });
    const store = createS3Blobs(options);
    const blobs: Blobs = {
      ...store,
      list(page) {
        walks.push(number);
        return store.list(page);
      },
      removeGroup(group) {
        removed.push(group);
        return store.removeGroup(group);
      },
    };
    cleanups.push(
      () => storage.close(),
      () => store.close(),
    );
    const settings = { current: async () => ({ 'session_tokens.timeout': 15 }) } as unknown as Settings;
    const secrets = createNodeSecrets('housekeeping');
    const [logger, timers] = [silentLogger, createSystemTimers()];
    const removals = createRemovals({ storage, clock, secrets, timers, logger });
    const erasures = { eraseDue: async () => 0 };
    const policies = createPolicies({ storage, clock });
    const timeWatch = trusting(clock);
    const deps = { storage, blobs, clock, secrets, settings, logger, removals, erasures, policies, timeWatch };
    return { blobs, ...createHousekeeping(deps) };
  }

  const nodes = Array.from({ length: NODES }, (_, number) => startNode(number));
  const [{ blobs }] = nodes as [(typeof nodes)[number]];
  const secrets = createNodeSecrets('ids');
  for (let i = 0; i < ORPHANS; i++)
    await blobs.put(`files/${secrets.uuid(createSystemClock().now())}/original`, textBytes('x'));

  await Promise.all(nodes.map((node) => node.runDue()));
  expect(walks).toHaveLength(1);
  expect(new Set(removed).size).toBe(ORPHANS);
  expect(removed).toHaveLength(ORPHANS);
  // Nothing is due any more, on either node.
  for (const node of nodes) await node.runDue();
  expect(walks).toHaveLength(1);
});
