import { createMemoryStorage } from '@baobab/adapters/memory';
import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import { addUser, newSession } from '@baobab/contracts/storage';
import {
  type Authentication,
  type CompletedLogins,
  createActor,
  createSessions,
  createSettings,
  type SecondFactor,
} from '@baobab/core';
import { expect, it } from 'vitest';
import { testAudit } from '../support/audit.ts';
import { trusting } from '../support/clock.ts';
import { silentLogger as logger } from '../support/logger.ts';

it('a user with very many sessions sees the newest thousand, and can end any', async () => {
  const [storage, clock, secrets] = [createMemoryStorage(), createSystemClock(), createNodeSecrets('a'.repeat(32))];
  const audit = testAudit();
  const settings = createSettings({ storage, secrets, clock, logger });
  const authentication = {} as Authentication; // nobody logs in
  const secondFactor = {} as SecondFactor;
  const completedLogins = {} as CompletedLogins;
  const sessions = createSessions({
    storage,
    authentication,
    secondFactor,
    completedLogins,
    audit,
    secrets,
    settings,
    timeWatch: trusting(clock),
  });
  const user = await addUser(storage, 'Ann');
  const now = clock.now();
  const all = Array.from({ length: 1_002 }, (_, n) => newSession(user.id, { created: now + n, lastUsed: now }));
  for (const session of all) await storage.sessions.add(session);
  const ann = createActor(user, all[0]?.id ?? null);

  const newest = all.slice(2).toReversed();
  expect((await sessions.list(ann)).map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
  await sessions.remove(ann, all[1]?.id ?? '');
  expect(await storage.sessions.find(all[1]?.id ?? '')).toBeNull();
  await expect(sessions.remove(ann, all[1]?.id ?? '')).rejects.toMatchObject({ code: 'session.not_found' });
});
