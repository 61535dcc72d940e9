import type { settings as English } from '../en/settings.ts';

export const settings: typeof English = {
  title: 'Einstellungen',
  about: 'Änderungen gelten sofort auf jedem Knoten.',
  sections: 'Abschnitte',
  saveOf: (key) => `${key} speichern`,
  secret:
    'Gesetzt, wird aber nicht angezeigt. Geben Sie einen neuen Wert ein, um ihn zu ersetzen, oder nichts, um ihn zu entfernen.',
  unset: 'Nicht gesetzt.',
  on: 'An',
  off: 'Aus',
};
