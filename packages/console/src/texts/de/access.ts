import type { access as English } from '../en/access.ts';

export const access: typeof English = {
  title: 'Zugriff',
  about:
    'Konten, Schlüssel, Webhooks und Regeln, die Zugriff auf die Daten Ihrer Benutzer behalten. Entfernen Sie nach einem Leck, was Sie nicht kennen.',
  by: 'Akteur',
  unknown: 'Unbekannt',
  accounts: 'Administratoren und BackOffice-Benutzer',
  role: 'Rolle',
  given: 'Rolle zugewiesen',
  more: 'Eine Rolle hat mehr als 1.000 Konten. Die Liste ist unvollständig.',
  created: 'Erstellt',
  changed: 'Letzte Änderung',
  target: 'URL',
  collections: 'Offene Sammlungen',
  collectionsAbout: 'Sammlungen, deren Regeln Benutzern Rechte an Dokumenten anderer geben.',
  permissions: 'Rechte',
  rule: (action: string, role: string) => `${action}: ${role}`,
  ruleIf: (action: string, role: string, filter: string) => `${action}: ${role}, falls ${filter}`,
  inherited: (field: string) => `Geerbt über ${field}`,
  none: 'Keine',
};
