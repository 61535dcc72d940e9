import type { roles as English } from '../en/roles.ts';

export const roles: typeof English = {
  title: 'Rollen',
  about:
    'Jeder Benutzer hat eine Rolle. Sie können Dokumente und Dateien mit Rollen teilen und Rollen in Zugriffsregeln verwenden.',
  name: 'Name',
  description: 'Beschreibung',
  builtIn: 'Vordefiniert',
  create: 'Neue Rolle',
  edit: 'Bearbeiten',
  editOf: (name) => `Rolle ${name} bearbeiten`,
  menuOf: (name) => `Aktionen für ${name}`,
  delete: 'Rolle löschen',
  deleteAbout: (name) =>
    `Die Rolle ${name} und ihre Berechtigungen werden gelöscht. Ihre Benutzer werden registrierte Benutzer. Geben Sie zur Bestätigung den Namen der Rolle ein.`,
};
