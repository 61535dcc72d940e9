export const collections = {
  title: 'Collections',
  none: 'There are no collections yet.',
  documents: 'Documents',
  size: 'Size',
  create: 'Create a collection',
  delete: 'Delete the collection',
  deleteAbout: (name: string) =>
    `This deletes the collection ${name} with all of its documents. It cannot be undone. Type its name to confirm.`,
  configuration: 'Rules, schema and indexes',
  rules: {
    title: 'Rules',
    about:
      'What the users with a role may do with all documents of this collection, beside the grants of each document. Administrators need no rules.',
    actions: { create: 'create', read: 'read', update: 'update', delete: 'delete' },
    allow: (action: string, role: string) => `${action}: ${role}`,
    save: 'Save the rules',
  },
  schema: {
    title: 'Schema',
    about: 'A JSON Schema. New and changed documents have to conform to it; stored documents stay as they are.',
    json: 'JSON Schema',
    none: 'This collection has no schema.',
    dry: 'Try on the stored documents',
    save: 'Save the schema',
    saved: 'The schema is in force.',
    tried: 'Nothing was changed.',
    allConform: 'All stored documents conform to it.',
    violate: (count: string) => `Stored documents that do not conform to it: ${count}. The first ones:`,
    remove: 'Remove the schema',
    removeAbout: 'Documents then need no longer conform to it.',
  },
};
