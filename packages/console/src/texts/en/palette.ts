export const palette = {
  title: 'Search',
  open: 'Search',
  keys: '⌘K',
  input: 'Page, collection or user',
  none: 'No results.',
  user: (name: string) => `User: ${name}`,
  collection: (name: string) => `Collection: ${name}`,
};
