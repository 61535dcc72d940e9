import type { files as English } from '../en/files.ts';

export const files: typeof English = {
  title: 'Dateien',
  none: 'Noch keine Dateien',
  noMatch: 'Keine passenden Dateien',
  find: 'Dateien suchen',
  looks: { list: 'Liste', grid: 'Kacheln' },
  fileName: 'Dateiname',
  type: 'Typ',
  size: 'Größe',
  owner: 'Eigentümer',
  document: 'Dokument',
  stored: 'Hochgeladen',
  digest: 'SHA-256',
  id: 'ID',
  attached: 'Metadaten',
  select: (name) => `${name} auswählen`,
  selectAll: 'Seite auswählen',
  removeSelected: (count) => `Auswahl löschen (${count})`,
  removeSelectedAbout: (count) =>
    count === 1
      ? 'Eine Datei löschen? Das lässt sich nicht rückgängig machen.'
      : `${count} Dateien löschen? Das lässt sich nicht rückgängig machen.`,
  notRemoved: (count, message) => `${count} ${count === 1 ? 'konnte' : 'konnten'} nicht gelöscht werden: ${message}`,
  removed: (count) => (count === 1 ? 'Datei gelöscht' : `${count} Dateien gelöscht`),
  remove: 'Datei löschen',
  removeAbout: (name) => `Die Datei ${name} löschen? Das lässt sich nicht rückgängig machen.`,
  link: 'URL',
  linkAbout: 'Enthält keine Zugangsdaten: Zum Abruf ist eine Sitzung mit Leserecht nötig.',
  noGrants: 'Nicht geteilt. Eigentümer und Administratoren haben immer Zugriff.',
  upload: 'Hochladen',
  choose: 'Dateien hochladen',
  uploadFirst: 'Erste Datei hochladen',
  noneAbout:
    'Laden Sie Dateien hoch oder ziehen Sie sie auf diese Seite. Beim Verlassen der Seite werden laufende Uploads abgebrochen.',
  uploads: 'Uploads',
  uploadState: (done, left) => `${done} hochgeladen, ${left} ausstehend`,
  abortOf: (name) => `${name} abbrechen`,
  abortAll: 'Alle abbrechen',
  failed: (count) => `${count} fehlgeschlagen:`,
  hide: 'Uploads ausblenden',
};
