export const indexes = {
  title: 'Indexes',
  about:
    'Indexes speed up filtering and sorting by a field, and slow down writes a little. Document indexes are on the page of their collection.',
  of: {
    documents: {
      title: 'Indexes',
      about:
        'Indexes speed up filtering and sorting by a path of the content. To filter by one path and sort by another, enter a list: ["category","price"].',
      path: 'Path, such as author.name',
    },
    users: {
      title: 'User indexes',
      about: 'The name, the status, and the members of the four sections of profiles.',
      path: 'Path, such as visibleByRegisteredUsers.city',
    },
    files: {
      title: 'File indexes',
      about: 'fileName, contentType, contentLength, and the members of attachedData.',
      path: 'Path, such as attachedData.album',
    },
    assets: {
      title: 'Asset indexes',
      about: 'name, fileName, contentType, contentLength, and the members of meta.',
      path: 'Path, such as meta.language',
    },
  },
  none: 'No indexes yet.',
  path: 'Path',
  state: 'State',
  states: { building: 'Building', ready: 'Ready' },
  unique: 'No two documents may have the same value',
  isUnique: 'Unique',
  add: 'Add index',
  removeOf: (path: string) => `Delete index on ${path}`,
  search: {
    title: 'Full-text search',
    about:
      'Finds documents by the words in these fields, best first. A hit in a field counts as often as the weight says.',
    none: 'Not enabled. Add the first field to enable it.',
    path: 'Field, such as title',
    weight: 'Weight',
    add: 'Add field',
    removeOf: (path: string) => `Delete ${path} from the search`,
  },
};
