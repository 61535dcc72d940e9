import type { assets as en } from '../en/assets.ts';

export const assets: typeof en = {
  title: 'Assets',
  none: 'Keine Assets.',
  find: 'Name beginnt mit',
  apply: 'Suchen',
  kind: 'Typ',
  object: 'Objekt',
  size: 'Größe',
  author: 'Autor',
  created: 'Angelegt',
  fileName: 'Dateiname',
  meta: 'Objekt (JSON)',
  create: 'Asset anlegen',
  file: 'Datei',
  fileAbout: 'Ohne Datei ist das Asset nur ein Objekt.',
  address: 'Öffentliche Adresse',
  addressAbout: 'Alle können Assets ohne Anmeldung lesen.',
  remove: 'Asset löschen',
  removeAbout: (name) =>
    `Dies löscht das Asset ${name}. Apps, die es verwenden, finden es nicht mehr. Es kann nicht rückgängig gemacht werden.`,
};
