import type { indexes as English } from '../en/indexes.ts';

export const indexes: typeof English = {
  title: 'Indexe',
  about:
    'Ein Index beschleunigt Listen, die nach einem Feld filtern oder sortieren. Jeder Index macht das Schreiben etwas langsamer. Die Indexe von Dokumenten stehen auf der Seite ihrer Sammlung.',
  of: {
    documents: {
      title: 'Indexe',
      about:
        'Ein Index beschleunigt Listen, die nach einem Pfad des Inhalts filtern oder sortieren. Für Listen, die nach einem filtern und nach einem anderen sortieren, schreiben Sie eine Liste: ["category","price"].',
      path: 'Pfad, zum Beispiel author.name',
    },
    users: {
      title: 'Indexe der Benutzer',
      about: 'Der Name, der Status und was in den vier Abschnitten der Profile steht.',
      path: 'Pfad, zum Beispiel visibleByRegisteredUsers.city',
    },
    files: {
      title: 'Indexe der Dateien',
      about: 'fileName, contentType, contentLength und was in attachedData steht.',
      path: 'Pfad, zum Beispiel attachedData.album',
    },
    assets: {
      title: 'Indexe der Assets',
      about: 'name, fileName, contentType, contentLength und was in meta steht.',
      path: 'Pfad, zum Beispiel meta.language',
    },
  },
  none: 'Es gibt keine Indexe.',
  path: 'Pfad',
  state: 'Zustand',
  states: { building: 'wird aufgebaut', ready: 'bereit' },
  refresh: 'Noch einmal nachsehen',
  add: 'Index anlegen',
  removeOf: (path) => `Index auf ${path} löschen`,
};
