export const indexes = {
  title: 'Indexes',
  about:
    'An index makes lists fast that filter or sort by a field. Each index makes writes a little slower. Those of documents are on the page of their collection.',
  of: {
    documents: {
      title: 'Indexes',
      about:
        'An index makes lists fast that filter or sort by a path of the content. For lists that filter by one and sort by another, write a list: ["category","price"].',
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
  none: 'There are no indexes.',
  path: 'Path',
  state: 'State',
  states: { building: 'being built', ready: 'ready' },
  refresh: 'Look again',
  add: 'Add the index',
  removeOf: (path: string) => `Delete the index on ${path}`,
};
