export const palette = {
  title: 'Go to',
  open: 'Go to …',
  input: 'View, collection or user',
  none: 'Nothing has such a name.',
  user: (name: string) => `User: ${name}`,
  collection: (name: string) => `Collection: ${name}`,
};
