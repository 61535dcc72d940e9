import type { audit as English } from '../en/audit.ts';

export const audit: typeof English = {
  title: 'Protokoll',
  about:
    'Wer was an wem getan hat, und von wo. Der Dienst ändert diese Ereignisse nie, und entfernt alte, wie die Einstellungen es sagen.',
  none: 'Solche Ereignisse gibt es nicht.',
  act: 'Vorgang',
  allActs: 'Alle Vorgänge',
  by: 'Von',
  to: 'An',
  partyAbout: 'Eine Id oder ein genauer Name',
  from: 'Ab',
  until: 'Bis',
  find: 'Suchen',
  clear: 'Leeren',
  time: 'Zeit',
  network: 'Netz',
  details: 'Einzelheiten',
  operator: 'Betreiber',
  anonymous: 'Anonym',
};
