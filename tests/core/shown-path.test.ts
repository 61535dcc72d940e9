import { expect, it } from 'vitest';
import { pathOf } from '../../packages/http/src/requests/target.ts';

it.each([
  ['/user', '/user'],
  ['/document/books/1?X-BB-SESSION=secret', '/document/books/1'],
  ['/document/%C3%A9/x', '/document/%C3%A9/x'],
  ['/user/password/reset/secret', '/user/password/reset/***'],
  ['/user/email/confirm/secret', '/user/email/confirm/***'],
  ['/user/%70assword/reset/secret?x=1', '/user/password/reset/***'],
  ['/%75ser/password/reset/secret', '/user/password/reset/***'],
  [
    '/admin/configuration/PasswordRecovery/network.smtp.password/secret',
    '/admin/configuration/PasswordRecovery/network.smtp.password/***',
  ],
  ['/admin/%63onfiguration/a/b/secret', '/admin/configuration/a/b/***'],
  ['/admin/configuration/a/b/sec/ret', '/admin/configuration/a/b/***'],
  ['/admin/configuration/a', '/admin/configuration/a'],
  ['/user/ann/password/reset', '/user/ann/password/reset'],
  ['/push/enable/android/secret', '/push/enable/android/***'],
  ['/push/enable/%61ndroid/sec%2Fret', '/push/enable/android/***'],
  ['/push%2Fenable/android%2fsecret', '/push/enable/android/***'],
  ['/push/disable/secret', '/push/disable/***'],
  ['/push/disable/secret/', '/push/disable/***'],
  ['/push/enable/secret', '/push/enable/***'],
  ['/push/enable/symbian/secret', '/push/enable/***'],
  ['/push/message/ann', '/push/message/ann'],
  ['/logout/secret', '/logout/***'],
  ['/logout', '/logout'],
  ['/me/sessions/secret', '/me/sessions/***'],
  ['/me/sessions', '/me/sessions'],
  ['/user/password/reset/secret%ff', '/user/password/reset/***'],
  ['/user/password/reset/%0Asecret', '/user/password/reset/***'],
  ['/broken/%ff', '/broken/%ff'],
])('%s is shown as %s', (url, shown) => {
  expect(pathOf(url)).toBe(shown);
});
