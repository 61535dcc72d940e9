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
      title: 'Indexes of users',
      about: 'The name, the status, and the members of the four sections of profiles.',
      path: 'Path, such as visibleByRegisteredUsers.city',
    },
    files: {
      title: 'Indexes of files',
      about: 'fileName, contentType, contentLength, and the members of attachedData.',
      path: 'Path, such as attachedData.album',
    },
    assets: {
      title: 'Indexes of assets',
      about: 'name, fileName, contentType, contentLength, and the members of meta.',
      path: 'Path, such as meta.language',
    },
  },
  none: 'No indexes yet.',
  path: 'Path',
  state: 'State',
  states: { building: 'building', ready: 'ready' },
  refresh: 'Refresh',
  add: 'Add the index',
  removeOf: (path: string) => `Delete the index on ${path}`,
};
