import type { audit as English } from '../en/audit.ts';

export const audit: typeof English = {
  title: 'Audit-Protokoll',
  noneAbout:
    'Sicherheitsrelevante Ereignisse von Benutzern und Administratoren. Sie werden nie geändert und nach der Aufbewahrungsfrist entfernt.',
  none: 'Keine passenden Ereignisse',
  act: 'Ereignis',
  allActs: 'Alle Ereignisse',
  by: 'Akteur',
  target: 'Ziel',
  partyAbout: 'ID oder exakter Name',
  from: 'Von',
  until: 'Bis',
  time: 'Zeitpunkt',
  network: 'Netzwerk',
  details: 'Details',
  operator: 'Betreiber',
  anonymous: 'Anonym',
};
