import type { palette as English } from '../en/palette.ts';

export const palette: typeof English = {
  title: 'Suche',
  open: 'Suchen',
  keys: '⌘K',
  input: 'Seite, Sammlung oder Benutzer',
  none: 'Keine Treffer.',
  user: (name) => `Benutzer: ${name}`,
  collection: (name) => `Sammlung: ${name}`,
};
