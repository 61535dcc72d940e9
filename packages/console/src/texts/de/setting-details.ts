import type { settingDetails as english } from '../en/setting-details.ts';

/** Beschreibungen und Tests von Einstellungen. */
export const settingDetails: typeof english = {
  expected: (expected: string) => `Erwartet ${expected}.`,
  initial: (value: string) => `Vorgabe: ${value}`,
  initialEmpty: 'Vorgabe: leer',
  initialLong: 'Vorgabe: eine Vorlage von mehreren Zeilen.',
  revert: 'Vorgabe verwenden',
  revertOf: (key: string) => `Vorgabe von ${key} verwenden`,
  test: 'Diese Einstellungen prüfen',
  check: 'Jetzt prüfen',
  pushToMe: 'Eine Nachricht an mich senden',
  environment: 'Umgebung',
  environmentAbout:
    'Die Variablen, mit denen der Dienst gestartet wurde. Sie sind im Betrieb nicht änderbar, und Geheimnisse werden nicht gezeigt.',
  variable: 'Variable',
  value: 'Wert',
  unset: 'Vorgabe',
  set: 'gesetzt',
  source: 'Herkunft',
  meaning: 'Bedeutung',
};
