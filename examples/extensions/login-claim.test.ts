import assert from 'node:assert/strict';
import { test } from 'node:test';
import loginClaim from './login-claim.ts';
import { start } from './start.ts';

test('shows the plan in the profile after a login, and refuses users without one', async () => {
  const { admin, user, close } = await start(loginClaim, ['plans']);
  const ann = await user('ann');
  const credentials = { username: 'ann', password: 'a password' };
  await assert.rejects(ann.auth.login(credentials), { code: 'plan.ended', status: 402 });
  await admin.collection('plans').create({ username: 'ann', plan: 'pro', ends: '2999-01-01' });
  const profile = await ann.auth.login(credentials);
  assert.equal((await ann.users.me()).visibleByTheUser?.plan, 'pro');
  assert.ok(profile);
  await close();
});
