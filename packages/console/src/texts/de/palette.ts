import type { palette as English } from '../en/palette.ts';

export const palette: typeof English = {
  title: 'Gehe zu',
  open: 'Gehe zu …',
  input: 'Ansicht, Sammlung oder Benutzer',
  none: 'Nichts heißt so.',
  user: (name) => `Benutzer: ${name}`,
  collection: (name) => `Sammlung: ${name}`,
};
