import type { collections as English } from '../en/collections.ts';

export const collections: typeof English = {
  title: 'Sammlungen',
  none: 'Es gibt noch keine Sammlungen.',
  documents: 'Dokumente',
  size: 'Größe',
  create: 'Sammlung anlegen',
  delete: 'Sammlung löschen',
  deleteAbout: (name) =>
    `Das löscht die Sammlung ${name} mit allen ihren Dokumenten. Es lässt sich nicht rückgängig machen. Geben Sie zur Bestätigung ihren Namen ein.`,
  configuration: 'Regeln, Schema und Indexe',
  rules: {
    title: 'Regeln',
    about:
      'Was die Benutzer mit einer Rolle mit allen Dokumenten dieser Sammlung tun dürfen, neben den Rechten an jedem Dokument. Administratoren brauchen keine Regeln.',
    actions: { create: 'anlegen', read: 'lesen', update: 'ändern', delete: 'löschen' },
    allow: (action, role) => `${action}: ${role}`,
    save: 'Regeln speichern',
  },
  schema: {
    title: 'Schema',
    about:
      'Ein JSON-Schema. Neue und geänderte Dokumente müssen ihm entsprechen; gespeicherte Dokumente bleiben, wie sie sind.',
    json: 'JSON-Schema',
    none: 'Diese Sammlung hat kein Schema.',
    dry: 'An den gespeicherten Dokumenten ausprobieren',
    save: 'Schema speichern',
    saved: 'Das Schema gilt.',
    tried: 'Nichts wurde geändert.',
    allConform: 'Alle gespeicherten Dokumente entsprechen ihm.',
    violate: (count) => `Gespeicherte Dokumente, die ihm nicht entsprechen: ${count}. Die ersten:`,
    remove: 'Schema entfernen',
    removeAbout: 'Dokumente müssen ihm dann nicht mehr entsprechen.',
  },
};
