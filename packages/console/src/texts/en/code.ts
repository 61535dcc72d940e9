export const code = {
  show: 'As code',
  title: 'The requests of this view as code',
  none: 'This view has not sent a request yet.',
  request: 'Request',
  curl: 'curl',
  curlAbout: 'For a shell in which the variable TOKEN has the token of a session of yours. Secrets are left out.',
  client: '@baobab/client',
  clientAbout: 'For a module of JavaScript or TypeScript.',
  noCall: 'The client has no call of its own for this request.',
  copy: 'Copy',
  copyOf: (label: string) => `Copy ${label}`,
  copied: 'Copied',
};
