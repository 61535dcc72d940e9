export const keys = {
  title: 'API keys',
  noneAbout: 'API keys let your servers call Baobab with the permissions of a role.',
  none: 'No API keys yet',
  create: 'New API key',
  purpose: 'Name',
  role: 'Role',
  owner: 'Created by',
  created: 'Created',
  expires: 'Expires',
  expiresAbout: 'Last valid day, in UTC. Leave empty for a key that never expires.',
  never: 'Never',
  lastUse: 'Last use',
  key: 'Key',
  newKey: 'Your new API key',
  delete: 'Delete key',
  deleteAbout: (name: string) =>
    `The key ${name} stops working immediately. Requests of servers that use it will fail.`,
};
