import type { World } from './backend.ts';
import { adminOf, expectStatus, setSettings } from './people.ts';

export const PUBLIC_URL = 'https://app.example.com/api';

/** A mail with the code and the path of the link in it; empty if absent. */
export interface ReadMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly code: string;
  readonly path: string;
}

/** Returns another code of six digits. */
export const wrong = (code: string) => `${(Number(code[0]) + 1) % 10}${code.slice(1)}`;

/** Creates helpers for scenarios with mails to users. */
export function createMailbox(world: World) {
  /** Delivers waiting mails. Resolves to those for the address, oldest first. */
  async function mailsTo(address: string): Promise<ReadMail[]> {
    await world.backend.deliver();
    return world.backend.mail
      .filter(({ to }) => to === address)
      .map((mail) => ({
        ...mail,
        code: /^(\d{6})$/m.exec(mail.text)?.[1] ?? '',
        path: /https:\S+(\/user\/email\/confirm\/[\w-]+)/.exec(mail.text)?.[1] ?? '',
      }));
  }

  async function mailTo(address: string): Promise<ReadMail> {
    const mail = (await mailsTo(address)).at(-1);
    if (mail === undefined) throw new Error(`no mail to ${address}`);
    return mail;
  }

  return {
    mailsTo,
    mailTo,
    unique: (prefix = 'ann') => `${world.unique(prefix)}@example.com`,
    /** Turns notices off, so that the last mail to an address is the expected one. */
    async setUp() {
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' });
      await setSettings(world, 'Application', { 'security.notices': false });
    },

    /** Adds a user created by the administrator, with an unverified address. */
    async createdByAdmin() {
      const name = world.unique('invited');
      const body = { username: name, password: 'secret', visibleByTheUser: { email: `${name}@example.com` } };
      await expectStatus(world.call('POST', '/admin/user', { basic: adminOf(world), body }), 201);
      return { name };
    },

    /** Adds a user with a verified address. */
    async verifiedUser(name?: string, email = `${world.unique('ann')}@example.com`) {
      const user = await world.user(name);
      await expectStatus(world.call('POST', '/me/email', { token: user.token, body: { email } }), 200);
      const { code } = await mailTo(email);
      await expectStatus(world.call('POST', '/me/email/confirm', { token: user.token, body: { code } }), 200);
      return { ...user, email };
    },
  };
}
