import type { keys as English } from '../en/keys.ts';

export const keys: typeof English = {
  title: 'API-Schlüssel',
  noneAbout: 'Mit API-Schlüsseln greifen Ihre Server mit den Rechten einer Rolle auf Baobab zu.',
  none: 'Noch keine API-Schlüssel',
  create: 'Neuer API-Schlüssel',
  purpose: 'Name',
  role: 'Rolle',
  owner: 'Angelegt von',
  created: 'Angelegt',
  expires: 'Läuft ab',
  expiresAbout: 'Letzter gültiger Tag (UTC). Leer lassen, wenn der Schlüssel nie ablaufen soll.',
  never: 'Nie',
  lastUse: 'Zuletzt verwendet',
  key: 'Schlüssel',
  newKey: 'Ihr neuer API-Schlüssel',
  delete: 'Schlüssel löschen',
  deleteAbout: (name) => `Der Schlüssel ${name} ist sofort ungültig. Anfragen, die ihn verwenden, schlagen fehl.`,
};
