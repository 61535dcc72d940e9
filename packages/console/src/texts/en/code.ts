export const code = {
  show: 'API',
  title: 'API requests of this page',
  none: 'This page has not sent a request yet.',
  request: 'Request',
  curl: 'curl',
  curlAbout: 'Set the variable TOKEN to one of your session tokens. Secrets are omitted.',
  client: '@baobab/client',
  clientAbout: 'For JavaScript and TypeScript modules.',
  noCall: 'The client has no method for this request.',
  copy: 'Copy',
  copyOf: (label: string) => `Copy ${label}`,
  copied: 'Copied',
};
