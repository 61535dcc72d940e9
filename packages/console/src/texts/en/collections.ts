export const collections = {
  title: 'Collections',
  none: 'No collections yet.',
  documents: 'Documents',
  size: 'Size',
  create: 'Create a collection',
  delete: 'Delete the collection',
  deleteAbout: (name: string) =>
    `This deletes the collection ${name} and all its documents. This cannot be undone. Type its name to confirm.`,
  configuration: 'Rules, schema and indexes',
  rules: {
    title: 'Rules',
    about:
      'Permissions of roles on all documents of this collection, in addition to the permissions of each document. Administrators need no rules.',
    actions: { create: 'create', read: 'read', update: 'update', delete: 'delete' },
    allow: (action: string, role: string) => `${action}: ${role}`,
    save: 'Save the rules',
  },
  schema: {
    title: 'Schema',
    about: 'A JSON Schema that new and changed documents must match. Stored documents are not changed.',
    json: 'JSON Schema',
    none: 'This collection has no schema.',
    dry: 'Test with stored documents',
    save: 'Save the schema',
    saved: 'The schema is active.',
    tried: 'Nothing was saved.',
    allConform: 'All stored documents match it.',
    violate: (count: string) => `Stored documents that do not match it: ${count}. The first ones:`,
    remove: 'Remove the schema',
    removeAbout: 'New and changed documents are no longer validated.',
  },
};
