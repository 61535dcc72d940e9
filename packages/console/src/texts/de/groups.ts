import type { groups as en } from '../en/groups.ts';

export const groups: typeof en = {
  title: 'Gruppen',
  none: 'Es gibt noch keine Gruppen.',
  members: 'Mitglieder',
  create: 'Gruppe anlegen',
  createAbout: 'Gruppen, die Sie anlegen, gehören Ihnen. Sie können sie weitergeben.',
  id: 'Id',
  idAbout: 'Rechte nennen Gruppen mit ihren Ids.',
  rename: 'Umbenennen',
  add: 'Mitglied hinzufügen',
  username: 'Benutzername',
  role: 'Rolle',
  roleOf: (name) => `Rolle von ${name}`,
  roles: { owner: 'Eigentümer', manager: 'Verwalter', member: 'Mitglied' },
  remove: 'Entfernen',
  removeOf: (name) => `${name} entfernen`,
  handOn: 'Gruppe weitergeben',
  handOnAbout: (name) => `Dies macht ${name} zum Eigentümer der Gruppe. Der bisherige wird Verwalter.`,
  delete: 'Gruppe löschen',
  deleteAbout: (name) =>
    `Dies löscht die Gruppe ${name} und die Rechte, die sie hat. Es kann nicht rückgängig gemacht werden. Geben Sie zur Bestätigung den Namen ein.`,
};
