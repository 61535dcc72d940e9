import type { assets as English } from '../en/assets.ts';

export const assets: typeof English = {
  title: 'Assets',
  none: 'Noch keine Assets',
  noMatch: 'Keine passenden Assets',
  noneAbout: 'Assets sind öffentliche Dateien und JSON-Objekte für Ihre Apps, z. B. Nutzungsbedingungen.',
  find: 'Assets suchen',
  kind: 'Typ',
  object: 'JSON',
  size: 'Größe',
  author: 'Angelegt von',
  created: 'Angelegt',
  fileName: 'Dateiname',
  meta: 'Metadaten (JSON)',
  create: 'Neues Asset',
  file: 'Datei',
  fileAbout: 'Ohne Datei ist das Asset nur ein JSON-Objekt.',
  address: 'Öffentliche URL',
  addressAbout: 'Assets sind ohne Anmeldung lesbar.',
  remove: 'Asset löschen',
  removeAbout: (name) =>
    `Das Asset ${name} löschen? Apps, die es verwenden, finden es dann nicht mehr. Das lässt sich nicht rückgängig machen.`,
};
