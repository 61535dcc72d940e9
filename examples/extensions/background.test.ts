import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@baobab/client';
import counters from './counters.ts';
import nightlyReport from './nightly-report.ts';
import { start } from './start.ts';
import welcome from './welcome.ts';

const DAY = 24 * 60 * 60_000;

test('mails new users who have given an address', async () => {
  const { url, backend, admin, user, close } = await start(welcome, []);
  await admin.admin.settings.set('PasswordRecovery', 'network.smtp.host', 'mail.example.com');
  await user('bob');
  const ann = createClient({ url, appCode: backend.appCode });
  const visibleByTheUser = { email: 'ann@example.com' };
  await ann.auth.signUp({ username: 'ann', password: 'a password', visibleByTheUser });
  await backend.deliver(); // calls the handler
  await backend.deliver(); // sends its mail
  assert.deepEqual(
    backend.mail.map(({ to, subject }) => [to, subject]),
    [['ann@example.com', 'Welcome']],
  );
  ann.close();
  await close();
});

test('reports the number of open tasks at night', async () => {
  let now = Date.parse('2026-01-31T12:00:00Z');
  const { admin, backend, close } = await start(nightlyReport, ['tasks', 'reports'], { clock: { now: () => now } });
  await admin.collection('tasks').create({ title: 'Paint', open: true });
  await admin.collection('tasks').create({ title: 'Dig', open: false });
  await backend.runJobs();
  now += DAY;
  await backend.runJobs();
  await admin.auth.login({ username: 'admin', password: backend.adminPassword });
  const [report] = await admin.collection('reports').query().list();
  assert.equal(report?.day, '2026-02-01');
  assert.equal(report?.open, 1);
  await close();
});

test('counts comments again when they are added and removed', async () => {
  const { admin, backend, close } = await start(counters, ['comments', 'counters']);
  const comments = admin.collection('comments');
  const [first] = [await comments.create({ post: 'a', text: '1' }), await comments.create({ post: 'a', text: '2' })];
  await backend.deliver();
  const count = async () => (await admin.collection('counters').query().first())?.comments;
  assert.equal(await count(), 2);
  await comments.remove(first.id);
  await backend.deliver();
  assert.equal(await count(), 1);
  await close();
});
