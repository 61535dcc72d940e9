import { increment } from '@baobab/client';
import { defineExtension, refuse } from '@baobab/server/extensions';

/** Types of the app, as `baobab types` writes them. */
interface App {
  collections: {
    tasks: { title: string; open: boolean; project: string; result?: string };
    projects: { name: string; openTasks: number };
  };
}

const RESULT = {
  type: 'object',
  properties: { result: { type: 'string', maxLength: 200 } },
  required: ['result'],
} as const;

/** Closes a task, and counts down the open tasks of its project, which the caller may not change. */
export default defineExtension<App>((app) => {
  app.route('POST', '/ext/close-task/:id', { body: RESULT }, async ({ params, body, data }) => {
    const task = await data.collection('tasks').get(params.id ?? '');
    if (!task.open) throw refuse('The task is closed', { code: 'task.closed', status: 409 });
    const all = data.asAdministrator();
    const tasks = all.collection('tasks').operations;
    const projects = all.collection('projects').operations;
    const [closed] = await all.batch([
      tasks.update(task.id, { open: false, result: body.result }, { version: task['@version'] }),
      projects.update(task.project, { openTasks: increment(-1) }),
    ]);
    return closed;
  });
});
