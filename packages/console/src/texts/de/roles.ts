import type { roles as english } from '../en/roles.ts';

/** Die Rollen von Benutzern. */
export const roles: typeof english = {
  title: 'Rollen',
  about:
    'Jeder Benutzer hat eine Rolle. Einer Rolle können Rechte an Dokumenten und Dateien gegeben werden, und Regeln von Collections nennen Rollen.',
  name: 'Name',
  description: 'Beschreibung',
  builtIn: 'eingebaut',
  create: 'Rolle anlegen',
  edit: 'Bearbeiten',
  editOf: (name: string) => `Rolle ${name} bearbeiten`,
  delete: 'Rolle löschen',
  deleteOf: (name: string) => `Rolle ${name} löschen`,
  deleteAbout: (name: string) =>
    `Das löscht die Rolle ${name} und die ihr gegebenen Rechte. Ihre Benutzer werden registrierte Benutzer. Geben Sie zur Bestätigung ihren Namen ein.`,
};
