import type { code as English } from '../en/code.ts';

export const code: typeof English = {
  show: 'API',
  title: 'API-Anfragen dieser Seite',
  none: 'Diese Seite hat noch keine Anfrage gesendet.',
  request: 'Anfrage',
  curl: 'curl',
  curlAbout: 'Setzen Sie die Variable TOKEN auf eines Ihrer Sitzungstokens. Zugangsdaten sind nicht enthalten.',
  client: '@baobab/client',
  clientAbout: 'Für JavaScript- und TypeScript-Module.',
  noCall: 'Der Client hat keine Methode für diese Anfrage.',
  copy: 'Kopieren',
  copyOf: (label) => `${label} kopieren`,
  copied: 'Kopiert',
};
