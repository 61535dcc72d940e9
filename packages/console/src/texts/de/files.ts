import type { files as en } from '../en/files.ts';

export const files: typeof en = {
  title: 'Dateien',
  none: 'Keine Dateien.',
  find: 'Dateiname beginnt mit',
  apply: 'Suchen',
  look: 'Anzeigen als',
  looks: { list: 'Liste', grid: 'Raster' },
  fileName: 'Dateiname',
  type: 'Typ',
  size: 'Größe',
  owner: 'Eigentümer',
  stored: 'Gespeichert',
  digest: 'SHA-256',
  id: 'Id',
  attached: 'Angehängte Daten',
  select: (name) => `${name} auswählen`,
  selectAll: 'Alle dieser Seite auswählen',
  removeSelected: (count) => `Ausgewählte löschen (${count})`,
  removeSelectedAbout: (count) =>
    count === 1
      ? 'Dies löscht eine Datei. Es kann nicht rückgängig gemacht werden.'
      : `Dies löscht ${count} Dateien. Es kann nicht rückgängig gemacht werden.`,
  notRemoved: (count, message) => `${count} konnten nicht gelöscht werden: ${message}`,
  remove: 'Datei löschen',
  removeAbout: (name) => `Dies löscht die Datei ${name}. Es kann nicht rückgängig gemacht werden.`,
  link: 'Adresse',
  linkAbout: 'Sie enthält keine Zugangsdaten. Aufrufer brauchen eine Sitzung, die die Datei lesen darf.',
  noGrants: 'Niemand hat ein Recht an dieser Datei. Eigentümer und Administratoren brauchen keines.',
  upload: 'Dateien hochladen',
  uploadAbout:
    'Wählen Sie Dateien aus oder ziehen Sie sie hierher. Verlassen Sie die Dateien, bricht ab, was noch nicht hochgeladen ist.',
  uploads: 'Uploads',
  uploadState: (done, left) => `${done} hochgeladen, ${left} stehen aus`,
  abort: 'Abbrechen',
  abortOf: (name) => `${name} abbrechen`,
  abortAll: 'Alle abbrechen',
  failed: (count) => `${count} fehlgeschlagen:`,
  hide: 'Uploads ausblenden',
};
