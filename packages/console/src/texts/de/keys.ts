import type { keys as en } from '../en/keys.ts';

export const keys: typeof en = {
  title: 'Serverschlüssel',
  about: 'Mit einem Serverschlüssel ruft ein anderer Server den Dienst als Inhaber einer Rolle auf.',
  none: 'Es gibt noch keine Serverschlüssel.',
  create: 'Serverschlüssel anlegen',
  purpose: 'Wofür er ist',
  role: 'Rolle',
  owner: 'Angelegt von',
  created: 'Angelegt',
  expires: 'Läuft ab',
  expiresAbout: 'Der letzte Tag, an dem er gilt, in UTC. Ohne Datum läuft er nie ab.',
  never: 'Nie',
  lastUse: 'Letzte Verwendung',
  key: 'Schlüssel',
  newKey: 'Der neue Serverschlüssel',
  delete: 'Schlüssel löschen',
  deleteAbout: (name) => `Dies beendet den Schlüssel ${name} sofort. Server, die ihn verwenden, werden abgewiesen.`,
};
