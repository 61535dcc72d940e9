// Prepares a server for the app: node set-up.ts <address> <password of admin>. Run it again after a change.
import { createAdminClient } from '@baobab/client/admin';

const COLLECTIONS = {
  lists: {
    type: 'object',
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 100 },
      group: { type: 'string', description: 'The id of the group with which the list is shared' },
    },
    required: ['title'],
    additionalProperties: false,
  },
  items: {
    type: 'object',
    properties: {
      list: { type: 'string', description: 'The id of the list' },
      title: { type: 'string', minLength: 1, maxLength: 100 },
      done: { type: 'boolean' },
      photo: { type: 'string', description: 'The id of a file' },
    },
    required: ['list', 'title', 'done'],
    additionalProperties: false,
  },
};

const [, , url = 'http://localhost:9000', password = ''] = process.argv;
const { auth, admin } = createAdminClient({ url, appCode: process.env.APP_CODE ?? '1234567890' });
await auth.login({ username: 'admin', password });

const existing = (await admin.collections.list()).map(({ name }) => name);
for (const [name, schema] of Object.entries(COLLECTIONS)) {
  if (!existing.includes(name)) await admin.collections.create(name);
  await admin.collections.setSchema(name, schema);
  // Signed-up users create documents. They are private until their owner shares them.
  await admin.collections.setRules(name, { create: ['registereduser'], read: [], update: [], delete: [] });
  console.log(`Collection ${name} is ready`);
}
await admin.collections.createIndex('items', 'list');
// Lists are private, even for followers of their owner.
await admin.settings.set('Application', 'followers.read.documents', false);
await auth.logout();
