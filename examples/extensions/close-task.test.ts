import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import closeTask from './close-task.ts';
import { start } from './start.ts';

const { admin, user, call, close } = await start(closeTask, ['tasks', 'projects']);
after(close);

test('closes a task once, and counts the open tasks of its project', async () => {
  const project = await admin.collection('projects').create({ name: 'House', openTasks: 1 });
  const ann = await user('ann');
  const task = await ann.collection('tasks').create({ title: 'Paint', open: true, project: project.id });

  const closed = await call<{ result: string }>(ann, 'POST', `/ext/close-task/${task.id}`, { result: 'Blue' });
  assert.equal(closed.data.result, 'Blue');
  assert.equal((await admin.collection('projects').get(project.id)).openTasks, 0);

  const again = await call(ann, 'POST', `/ext/close-task/${task.id}`, { result: 'Red' });
  assert.equal(again.http_code, 409);
  assert.equal(again.code, 'task.closed');
});

test("does not close another user's task", async () => {
  const ann = await user('eve');
  const bob = await user('bob');
  const project = await admin.collection('projects').create({ name: 'Garden', openTasks: 1 });
  const task = await ann.collection('tasks').create({ title: 'Dig', open: true, project: project.id });
  const { code } = await call(bob, 'POST', `/ext/close-task/${task.id}`, { result: 'x' });
  assert.equal(code, 'access.denied');
});
