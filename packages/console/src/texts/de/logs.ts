import type { logs as English } from '../en/logs.ts';

export const logs: typeof English = {
  title: 'Logs',
  noneAbout: 'Die neuesten Anfragen an diesen Knoten. Umfang und Auswahl legen Sie in den Einstellungen fest.',
  none: 'Keine Anfragen protokolliert',
  noMatch: 'Keine passenden Anfragen',
  path: 'Pfad',
  pathAbout: 'Teil des Pfads',
  method: 'Methode',
  status: 'Status',
  allStatuses: 'Alle Status',
  statuses: {
    '2xx': '2xx Erfolg',
    '3xx': '3xx Weiterleitungen',
    '4xx': '4xx Clientfehler',
    '5xx': '5xx Serverfehler',
  },
  duration: 'Dauer',
  ms: (value) => `${value} ms`,
  user: 'Benutzer',
  time: 'Zeitpunkt',
  id: 'Anfrage-ID',
  shown: (count) => (count === '1' ? '1 Anfrage' : `${count} Anfragen`),
  detailsAbout: 'Die Anfrage-ID steht auch im Log des Servers. Inhalte und Header werden nicht protokolliert.',
};
