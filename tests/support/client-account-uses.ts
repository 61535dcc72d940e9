import type { AdminClient } from '@baobab/client/admin';

const credentials = { username: 'ann', password: 'secret' };
const device = { os: 'ios', deviceId: 'token' } as const;
const presence = { currentPassword: 'x' };

/** Client calls for addresses, login by mail, passkeys and API keys, by operation. */
export const ACCOUNT_USES: Readonly<Record<string, readonly ((client: AdminClient) => unknown)[]>> = {
  confirmSignUpEmail: [({ auth }) => auth.confirmSignUp('ann', '123456')],
  resendSignUpEmail: [
    ({ auth }) => auth.resendSignUpMail(credentials),
    ({ auth }) => auth.resendSignUpMail({ ...credentials, email: 'ann@example.org' }),
  ],
  claimEmail: [({ auth }) => auth.emails.claim('ann@example.org', { currentPassword: 'x' })],
  confirmEmail: [({ auth }) => auth.emails.confirm('123456')],
  requestLoginCode: [
    ({ auth }) => auth.requestLoginCode({ username: 'ann' }),
    ({ auth }) => auth.requestLoginCode({ email: 'ann@example.org' }),
  ],
  loginWithCode: [({ auth }) => auth.loginWithCode('challenge', '123456', { device })],
  listPasskeys: [({ auth }) => auth.passkeys.list()],
  preparePasskey: [({ auth }) => auth.passkeys.prepare({ currentPassword: 'x' })],
  registerPasskey: [({ auth }) => auth.passkeys.register('Phone', {})],
  renamePasskey: [({ auth }) => auth.passkeys.rename('x', 'Phone')],
  removePasskey: [({ auth }) => auth.passkeys.remove('x'), ({ auth }) => auth.passkeys.remove('x', presence)],
  preparePasskeyLogin: [({ auth }) => auth.passkeys.prepareLogin()],
  loginWithPasskey: [({ auth }) => auth.loginWithPasskey({ response: {}, device })],
  createApiKey: [({ admin }) => admin.keys.create({ name: 'Shop', role: 'r' }, presence)],
  listAccess: [({ admin }) => admin.access()],
  listAuditEvents: [
    ({ admin }) => admin.audit.list({ act: 'user.created', by: 'x', to: 'x', from: 'x', until: 'x' }).page(),
  ],
  listApiKeys: [({ admin }) => admin.keys.list()],
  readApiKey: [({ admin }) => admin.keys.get('x')],
  removeApiKey: [({ admin }) => admin.keys.remove('x')],
  readTotp: [({ auth }) => auth.secondFactor.state()],
  prepareTotp: [({ auth }) => auth.secondFactor.prepare({ currentPassword: 'x' })],
  confirmTotp: [({ auth }) => auth.secondFactor.confirm('123456')],
  removeTotp: [
    ({ auth }) => auth.secondFactor.remove({ code: '123456' }),
    ({ auth }) => auth.secondFactor.remove({ recoveryCode: 'x' }),
    ({ auth }) => auth.secondFactor.remove(null, { currentPassword: 'x' }),
    ({ auth }) => auth.secondFactor.remove(),
  ],
};
