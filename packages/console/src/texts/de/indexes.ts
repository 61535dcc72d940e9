import type { indexes as English } from '../en/indexes.ts';

export const indexes: typeof English = {
  title: 'Indexe',
  about:
    'Indexe beschleunigen das Filtern und Sortieren nach einem Feld und verlangsamen das Schreiben etwas. Indexe für Dokumente finden Sie bei der jeweiligen Sammlung.',
  of: {
    documents: {
      title: 'Indexe',
      about:
        'Indexe beschleunigen das Filtern und Sortieren nach einem Pfad des Inhalts. Um nach einem Pfad zu filtern und nach einem anderen zu sortieren, geben Sie eine Liste ein: ["category","price"].',
      path: 'Pfad, z. B. author.name',
    },
    users: {
      title: 'Indexe der Benutzer',
      about: 'Möglich sind Name, Status und die Felder der vier Profilbereiche.',
      path: 'Pfad, z. B. visibleByRegisteredUsers.city',
    },
    files: {
      title: 'Indexe der Dateien',
      about: 'Möglich sind fileName, contentType, contentLength und die Felder von attachedData.',
      path: 'Pfad, z. B. attachedData.album',
    },
    assets: {
      title: 'Indexe der Assets',
      about: 'Möglich sind name, fileName, contentType, contentLength und die Felder von meta.',
      path: 'Pfad, z. B. meta.language',
    },
  },
  none: 'Noch keine Indexe.',
  path: 'Pfad',
  state: 'Status',
  states: { building: 'Wird aufgebaut', ready: 'Bereit' },
  unique: 'Jeder Wert darf nur einmal vorkommen',
  isUnique: 'Eindeutig',
  add: 'Index anlegen',
  removeOf: (path) => `Index auf ${path} löschen`,
  search: {
    title: 'Volltextsuche',
    about:
      'Durchsucht diese Felder und zeigt die besten Treffer zuerst. Das Gewicht bestimmt, wie stark ein Treffer im Feld zählt.',
    none: 'Nicht aktiv. Fügen Sie ein Feld hinzu, um die Suche zu aktivieren.',
    path: 'Feld, z. B. title',
    weight: 'Gewicht',
    add: 'Feld hinzufügen',
    removeOf: (path) => `${path} aus der Suche entfernen`,
  },
};
