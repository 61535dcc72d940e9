import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { linkIn } from '../support/password-reset.ts';
import { freePort } from '../support/ports.ts';
import { type Program, startProgram } from '../support/program.ts';
import { createRecorder, type Recorder } from '../support/recorder.ts';
import { type ReceivedMail, startMailServer, type TestMailServer } from '../support/smtp.ts';
import { exchange } from '../support/sockets.ts';

const APP_CODE = 'canary-application-code';
const SECRET_KEY = 'canary-secret-key-canary-secret-key-canary';
const PASSWORDS = {
  admin: 'canary-admin',
  first: 'canary-first',
  second: 'canary-second',
  reset: 'canary-reset',
  slip: 'canary-slip',
  wrong: 'canary-wrong',
  made: 'canary-made',
};
const SMTP = { user: 'app', password: 'canary-smtp' };
const SOCIAL_SECRET = 'canary-social';
const USER = 'user-of-the-canaries';
/** Data visible to its owner and to the operator of the database, but not to readers of logs. */
const NOT_FOR_LOGS = ['canary-device', 'canary-oauth', 'canary-cursor'];

describe('secrets', () => {
  const folder = createFolder();
  let program: Program;
  let mails: TestMailServer;
  let recorder: Recorder;
  let database = '';
  /** The texts that must not appear anywhere, by name. */
  const secrets = new Map<string, string>([
    ['the application code', APP_CODE],
    ['the secret key', SECRET_KEY],
    ['the SMTP password', SMTP.password],
    ['the social secret', SOCIAL_SECRET],
    ...Object.entries(PASSWORDS).map(([name, text]) => [`the ${name} password`, text] as const),
  ]);

  const basic = (name: string, password: string) => {
    const credentials = Buffer.from(`${name}:${password}`).toString('base64');
    secrets.set(`Basic credentials of ${name} with ${password}`, credentials);
    return { authorization: `Basic ${credentials}` };
  };

  async function login(username: string, password: string): Promise<{ 'x-bb-session': string }> {
    const { data, text } = await recorder.ask({ method: 'POST', path: '/login', body: { username, password } });
    if (data === undefined) throw new Error(text);
    const token: string = data['X-BB-SESSION'];
    secrets.set(`token ${secrets.size}`, token);
    return { 'x-bb-session': token };
  }

  const ask: Recorder['ask'] = (request) => recorder.ask(request);

  /** Passwords in valid and invalid places, in JSON and in text that is no JSON. */
  async function sendWrongBodies(headers: Record<string, string>): Promise<void> {
    const { wrong } = PASSWORDS;
    const bodies = [
      { username: USER, password: wrong, old: wrong, new: wrong },
      { username: USER, password: [wrong], old: { x: wrong }, new: wrong },
      { username: wrong, password: null },
      `{"username":"${USER}","password":${wrong}}`,
      `{"password":"${wrong}" "username":"x"}`,
      `{"password":"${wrong}`,
      wrong,
      `"${wrong}"`,
      `{"password":"${wrong}","x":"${'x'.repeat(1_100_000)}"}`,
      new URLSearchParams({ password: wrong }),
    ];
    for (const [method, path] of [
      ['POST', '/login'],
      ['POST', '/user'],
      ['POST', '/nothing'],
      ['PUT', '/user/password'],
      ['PUT', '/me/password'],
      ['POST', '/admin/user'],
    ] as const) {
      for (const body of bodies) {
        await ask({ method, path, body });
        await ask({ method, path, body, headers });
      }
      await ask({ method, path, body: `password=${wrong}`, headers: { 'content-type': 'text/plain' } });
    }
  }

  /** Credentials and codes in every place, of requests that succeed and that fail. */
  async function sendCredentialsAround(token: string): Promise<void> {
    for (const password of [PASSWORDS.first, PASSWORDS.wrong]) {
      for (const path of ['/me', '/nothing', '/admin/user', '/%zz', `/user/${USER}?x=%`]) {
        await ask({ method: 'GET', path, headers: basic(USER, password) });
      }
    }
    for (const path of [
      '/me?x=1',
      '/nothing?x=1',
      '/refresh?x=1',
      '/%c3%28?x=1',
      `/document/${'x'.repeat(5000)}?x=1`,
    ]) {
      const mayShow = path.startsWith('/refresh') ? [token] : [];
      await ask({ method: 'GET', path, headers: { 'x-bb-session': token }, mayShow });
      await ask({ method: 'GET', path: `${path}&X-BB-SESSION=${token}`, mayShow });
      await ask({ method: 'GET', path: `${path}&X-SERVICE-APPCODE=${APP_CODE}` });
    }
  }

  /** Device tokens, session ids, and query parameters. */
  async function useDevices(headers: Record<string, string>): Promise<void> {
    const { data } = await ask({ method: 'GET', path: '/me/sessions', headers });
    const [{ id }] = data;
    NOT_FOR_LOGS.push(id);
    for (const [method, path] of [
      ['PUT', '/push/enable/android/canary-device'],
      ['PUT', '/push/enable/symbian/canary-device'],
      ['PUT', '/push/enable/canary-device'],
      ['PUT', '/push/%65nable/ios%2Fcanary-device%ff'],
      ['GET', '/push//enable//ios//canary-device/more'],
      ['PUT', '/push/disable/canary-device'],
      ['DELETE', '/push/disable/canary-device'],
      ['POST', '/logout/canary-device/more'],
      ['POST', '/logout/canary-device?X-BB-SESSION=canary-oauth'],
      ['GET', `/me/sessions/${id}`],
      ['DELETE', `/me/sessions/${id}/`],
      ['DELETE', `/me/sessions/${id.toUpperCase()}`],
      ['POST', '/social/google?oauth_token=canary-oauth&oauth_secret=canary-oauth'],
      ['POST', '/social/google?oauth_token=canary-oauth&oauth_secret=%ff'],
      ['GET', '/document/notes?cursor=canary-cursor'],
      ['GET', '/%ff?cursor=canary-cursor'],
    ] as const) {
      await ask({ method, path });
    }
  }

  async function useAccounts(port: number): Promise<void> {
    const sections = { visibleByTheUser: { email: 'ann@example.com' } };
    const signUp = { username: USER, password: PASSWORDS.first, ...sections };
    const { data } = await ask({ method: 'POST', path: '/user', body: signUp });
    const token: string = data['X-BB-SESSION'];
    secrets.set('token of the sign-up', token);
    const headers = { 'x-bb-session': token };
    await ask({ method: 'POST', path: '/user', body: signUp });
    const form = new URLSearchParams({ username: USER, password: PASSWORDS.first, appcode: APP_CODE });
    await ask({ method: 'POST', path: '/login', body: form });
    await sendWrongBodies(headers);
    await sendCredentialsAround(token);
    const change = { old: PASSWORDS.first, new: PASSWORDS.second };
    await ask({ method: 'PUT', path: '/me/password', headers, body: change });
    await ask({ method: 'GET', path: '/me/sessions', headers });
    await ask({ method: 'GET', path: '/me', headers: { cookie: `session=${token}`, 'x-bb-session': `${token}x` } });
    await useDevices(headers);
    const broken = await exchange(port, `GET /me HTTP/1.1\r\nX-BB-SESSION: ${token}\r\nbad header\r\n\r\n`);
    recorder.keep('a request that is no HTTP', broken.text);
    await ask({ method: 'POST', path: '/logout', headers });
  }

  async function useSettings(headers: Record<string, string>): Promise<void> {
    const at = '/admin/configuration';
    const values = {
      'PasswordRecovery/network.smtp.host': '127.0.0.1',
      'PasswordRecovery/network.smtp.port': mails.port,
      'PasswordRecovery/network.smtp.authentication': true,
      'PasswordRecovery/network.smtp.user': SMTP.user,
      'PasswordRecovery/network.smtp.password': SMTP.password,
      'PasswordRecovery/email.from': 'app@example.com',
      'Social/social.google.secret': SOCIAL_SECRET,
    };
    for (const [key, value] of Object.entries(values)) {
      const { status } = await ask({ method: 'PUT', path: `${at}/${key}`, headers, body: { value } });
      expect(status).toBe(200);
    }
    for (const path of [
      '/PasswordRecovery/network.smtp.password/',
      '/PasswordRecovery/nothing/',
      '/Nothing/network.smtp.password/',
      '/PasswordRecovery/network.smtp.port/',
      '/PasswordRecovery/network.smtp.password/more/',
      '//PasswordRecovery//network.smtp.password//',
      '/Password%52ecovery/network.smtp.password/',
    ]) {
      await ask({ method: 'PUT', path: `${at}${path}${SMTP.password}`, headers });
      await ask({ method: 'GET', path: `${at}${path}${SMTP.password}`, headers });
      await ask({ method: 'PUT', path: `${at}${path}${SMTP.password}` });
    }
    for (const path of ['/admin/%63onfiguration/Social/x/', '/Admin/configuration/Social/x/']) {
      await ask({ method: 'PUT', path: `${path}${SOCIAL_SECRET}`, headers });
    }
    for (const body of [{ value: [SMTP.password] }, `{"value":${SMTP.password}}`, { x: SMTP.password }]) {
      await ask({ method: 'PUT', path: `${at}/PasswordRecovery/network.smtp.password`, headers, body });
    }
    for (const path of ['/dump.json', '/PasswordRecovery', '/Social']) {
      await ask({ method: 'GET', path: `${at}${path}`, headers });
    }
    const made = { username: 'made', password: PASSWORDS.made };
    await ask({ method: 'POST', path: '/admin/user', headers, body: made });
    await ask({ method: 'PUT', path: '/admin/user/made/password', headers, body: { password: PASSWORDS.made } });
    for (const path of ['/admin/user', '/admin/user/made', '/users']) await ask({ method: 'GET', path, headers });
  }

  async function resetPassword(headers: Record<string, string>): Promise<void> {
    const { status } = await ask({ method: 'GET', path: `/user/${USER}/password/reset` });
    expect([status, mails.received.length]).toEqual([200, 1]);
    const { token, path } = linkIn((mails.received[0] as ReceivedMail).text);
    secrets.set('the reset token', token);
    // The form leads back to the link.
    const mayShow = [token];
    await ask({ method: 'GET', path, mayShow });
    const form = (password: string, repeated = password) =>
      new URLSearchParams({ password, 'repeat-password': repeated });
    await ask({ method: 'POST', path, body: form(PASSWORDS.slip, PASSWORDS.wrong), mayShow });
    await ask({ method: 'POST', path, body: { password: PASSWORDS.slip }, mayShow });
    await ask({ method: 'POST', path, body: `{"password":${PASSWORDS.slip}}` });
    await ask({ method: 'POST', path, body: PASSWORDS.slip, headers: { 'content-type': 'text/plain' } });
    for (const odd of ['/user/%70assword/reset/', '/User/password/reset/', '//user//password/reset/']) {
      await ask({ method: 'PUT', path: `${odd}${token}` });
      await ask({ method: 'GET', path: `${odd}${token}/more` });
    }
    await ask({ method: 'DELETE', path });
    await ask({ method: 'GET', path: `/user/%70assword/reset/${token}`, mayShow });
    expect((await ask({ method: 'POST', path, body: form(PASSWORDS.reset) })).status).toBe(200);
    await ask({ method: 'POST', path, body: form(PASSWORDS.reset) });
    await ask({ method: 'GET', path });
    const password = '/admin/configuration/PasswordRecovery/network.smtp.password';
    await ask({ method: 'PUT', path: password, headers, body: { value: `${SMTP.password}!` } });
    expect((await ask({ method: 'GET', path: `/user/${USER}/password/reset` })).status).toBe(503);
    await mails.close();
    // The mail waits for the next attempt.
    expect((await ask({ method: 'GET', path: `/user/${USER}/password/reset` })).status).toBe(200);
  }

  beforeAll(async () => {
    mails = await startMailServer({ security: 'none', credentials: SMTP });
    const port = await freePort();
    program = startProgram({
      PORT: String(port),
      DATA_DIR: folder.path,
      APP_CODE,
      SECRET_KEY,
      ADMIN_PASSWORD: PASSWORDS.admin,
      RATE_LIMIT: 'off',
      OUTBOUND_PRIVATE: 'on',
      LOG_LEVEL: 'debug',
    });
    recorder = createRecorder(await program.ready(), APP_CODE);
    await useAccounts(port);
    const admin = await login('admin', PASSWORDS.admin);
    await useSettings(admin);
    await resetPassword(admin);
    await login(USER, PASSWORDS.reset);
    // The files while the program runs, and after it has stopped.
    const read = () =>
      readdirSync(folder.path, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => readFileSync(join(folder.path, name), 'latin1'))
        .join('\n');
    database = read();
    program.kill('SIGTERM');
    await program.exit;
    database += read();
  });
  afterAll(async () => {
    await program.dispose();
    folder.remove();
  });

  it('are in no answer', () => {
    expect(recorder.answers.length).toBeGreaterThan(150);
    for (const { what, text } of recorder.answers) {
      const shown = [...secrets].filter(([, secret]) => text.includes(secret)).map(([name]) => name);
      expect([what, shown]).toEqual([what, []]);
      expect(text).not.toContain('$argon2');
    }
  });

  it('are in no log, at any level', () => {
    const log = `${program.output()}\n${program.errors()}`;
    // The log is not empty, and contains the events.
    expect(log).toContain('"path":"/user/password/reset/***"');
    expect(log).toContain('request not served');
    expect(log).toContain('"path":"/push/enable/android/***"');
    const logged = [...secrets].filter(([, secret]) => log.includes(secret)).map(([name]) => name);
    expect(logged).toEqual([]);
    const lower = log.toLowerCase();
    expect(NOT_FOR_LOGS.filter((one) => lower.includes(one))).toEqual([]);
    expect(NOT_FOR_LOGS).toHaveLength(4);
    expect(log).not.toContain('$argon2');
  });

  it('are in the database only in unusable forms', () => {
    // The files are the expected ones.
    expect(database).toContain(USER);
    expect(database).toContain('$argon2id$');
    const stored = [...secrets].filter(([, secret]) => database.includes(secret)).map(([name]) => name);
    expect(stored).toEqual([]);
  });
});
