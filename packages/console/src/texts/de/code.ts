import type { code as English } from '../en/code.ts';

export const code: typeof English = {
  show: 'Als Code',
  title: 'Die Anfragen dieser Ansicht als Code',
  none: 'Diese Ansicht hat noch keine Anfrage gesendet.',
  request: 'Anfrage',
  curl: 'curl',
  curlAbout: 'Für eine Shell, in der die Variable TOKEN das Token einer Ihrer Sitzungen enthält. Geheimnisse fehlen.',
  client: '@baobab/client',
  clientAbout: 'Für ein Modul in JavaScript oder TypeScript.',
  noCall: 'Für diese Anfrage hat der Client keinen eigenen Aufruf.',
  copy: 'Kopieren',
  copyOf: (label) => `${label} kopieren`,
  copied: 'Kopiert',
};
