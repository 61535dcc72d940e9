import { afterEach, beforeAll, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { until } from '../support/patience.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { codeAt } from '../support/second-factor.ts';
import { openSocket } from '../support/sockets.ts';
import { openStream, type StreamClient } from '../support/streams.ts';

onEveryStorage('streams of changes with Basic credentials', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const open: StreamClient[] = [];
  let address: string;
  beforeAll(async () => {
    address = `http://127.0.0.1:${await openSocket(world.backend.app)}`;
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  async function stream(query: string, headers: Readonly<Record<string, string>>): Promise<StreamClient> {
    const opened = await openStream(address, query, { appCode: world.backend.appCode, headers });
    open.push(opened);
    return opened;
  }

  /** A stream that has caught up. */
  async function live(query: string, headers: Readonly<Record<string, string>>): Promise<StreamClient> {
    const opened = await stream(query, headers);
    await opened.line('ready');
    return opened;
  }

  /** A user with a verified address. */
  async function withAddress() {
    const user = await world.user();
    const email = `${user.name}@example.org`;
    await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' });
    await expectStatus(call('POST', '/me/email', { token: user.token, body: { email } }), 200);
    await world.backend.deliver();
    const text = world.backend.mail.findLast(({ to }) => to === email)?.text ?? '';
    const code = /^(\d{6})$/m.exec(text)?.[1];
    await expectStatus(call('POST', '/me/email/confirm', { token: user.token, body: { code } }), 200);
    return { ...user, email };
  }

  type AddressedUser = Awaited<ReturnType<typeof withAddress>>;
  const basicHeader = (name: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:secret`).toString('base64')}`,
  });

  it.each<readonly [string, 'name' | 'email', (user: AddressedUser) => ReturnType<typeof call>]>([
    [
      'the second factor is turned on',
      'name',
      async ({ token }) => {
        const { secret } = (await expectStatus(call('POST', '/me/totp', { token }), 200)).data;
        return call('POST', '/me/totp/confirm', { token, body: { code: codeAt(secret, Date.now()) } });
      },
    ],
    ['the user is suspended', 'name', ({ token }) => call('PUT', '/me/suspend', { token })],
    ['the user is removed', 'name', ({ name }) => call('DELETE', `/admin/user/${name}`, { basic: adminOf(world) })],
    [
      'the user has another name',
      'name',
      ({ token }) => call('PUT', '/me/username', { token, body: { username: world.unique('renamed') } }),
    ],
    [
      'the address that they contain is no longer the user’s',
      'email',
      ({ token }) => call('PUT', '/me', { token, body: { visibleByTheUser: { email: 'other@example.org' } } }),
    ],
  ])('end when the credentials are no longer accepted: %s', async (_what, by, act) => {
    const user = await withAddress();
    const opened = await live('', basicHeader(user[by]));
    await expectStatus(act(user), 200);
    await opened.line('end auth.invalid');
    await opened.ended();
    expect((await stream('', basicHeader(user[by]))).status).toBe(401);
  });

  it('go on by the address when the name changes', async () => {
    const { token, email, name } = await withAddress();
    const { collection, create, share } = await createShelf(world);
    const [byAddress, byName] = [
      await live(`collection=${collection}`, basicHeader(email)),
      await live(`collection=${collection}`, basicHeader(name)),
    ];
    const username = world.unique('renamed');
    await expectStatus(call('PUT', '/me/username', { token, body: { username } }), 200);
    await byName.line('end auth.invalid');
    const count = (text: string) => byAddress.lines().filter((line) => line === text).length;
    // The new name changes what the user may read. A resync for that may come late, and stands for earlier documents.
    for (let isSent = false; !isSent; ) {
      const resyncs = count('resync role');
      const { id } = await create({});
      await share(id, `read/user/${username}`);
      await until(() => count(`put 1 ${id}`) > 0 || count('resync role') > resyncs);
      isSent = count(`put 1 ${id}`) > 0;
    }
  });
});
