export const palette = {
  title: 'Go to',
  open: 'Go to …',
  input: 'Page, collection or user',
  none: 'No results.',
  user: (name: string) => `User: ${name}`,
  collection: (name: string) => `Collection: ${name}`,
};
