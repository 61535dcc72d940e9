// Prepares a server for the app: node set-up.ts <address> <password of admin>. Run it again after a change.
import { createAdminClient } from '@baobab/client/admin';

const [, , url = 'http://localhost:9000', password = ''] = process.argv;
const { auth, admin } = createAdminClient({ url, appCode: process.env.APP_CODE ?? '1234567890' });
await auth.login({ username: 'admin', password });

const existing = await admin.collections.names();
for (const name of ['boards', 'tasks', 'comments']) {
  if (!existing.includes(name)) await admin.collections.create(name);
}

// Members of a board may read it and its tasks; those who may change the board may add, change and delete tasks.
await admin.collections.setRules('tasks', {
  parent: {
    field: 'board',
    collection: 'boards',
    create: 'update',
    read: 'read',
    update: 'update',
    delete: 'update',
    onDelete: 'cascade',
  },
  check: {
    create: "new.column = 'open'",
    update: 'not changed(board) and (not changed(column) or caller.name in [old.assignee, parent._author])',
  },
  messages: { update: 'Only the assignee and the owner of the board can move a task' },
});

// Readers of a task may comment on it. Only authors can change their comments.
await admin.collections.setRules('comments', {
  parent: { field: 'task', collection: 'tasks', create: 'read', read: 'read', delete: 'update', onDelete: 'cascade' },
});

// Boards are private, even for followers of their owner.
await admin.settings.set('Application', 'followers.read.documents', false);
await auth.logout();
console.log('The task board is ready');
