import type { Mailer, MailMessage } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';

/** A mail as received. */
export interface DeliveredMail {
  /** The Message-ID, or its equivalent. */
  readonly messageId: string;
  /** Address and name of the sender, as one text. */
  readonly from: string;
  /** All recipients. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Names of all headers, in lower case; null if there are none. */
  readonly headers: readonly string[] | null;
}

export interface TestMailer {
  readonly mailer: Mailer;
  /** Oldest first. */
  delivered(): readonly DeliveredMail[];
  close(): Promise<void>;
}

export const MESSAGE: MailMessage = {
  id: '0143ea1b-7d58-7000-8000-5d1c2f6a9b3e',
  from: 'app@example.com',
  to: 'ann@example.com',
  subject: 'Choose a new password',
  text: 'Hello',
  html: '<p>Hello</p>',
};

/** Contract of every mailer. */
export function mailerContract(name: string, open: () => Promise<TestMailer>): void {
  describe(`mailer contract: ${name}`, PATIENT, () => {
    let opened: TestMailer;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const send = (change: Partial<MailMessage> = {}) => opened.mailer.send({ ...MESSAGE, ...change });

    it('delivers a message with a text and an HTML part', async () => {
      const text = 'Hello Zoë 漢字 😀,\n\nhttps://example.com/a?b=c&d\n.\n.leading dot';
      const html = `<p>Zoë &amp; "x" ${'long '.repeat(300)}</p>`;
      await send({ text, html, subject: 'Passwort für Zoë 😀', from: 'My Äpp <app@example.com>' });
      const [mail, ...more] = opened.delivered();
      expect(more).toEqual([]);
      expect(mail).toMatchObject({ recipients: ['ann@example.com'], subject: 'Passwort für Zoë 😀' });
      expect(mail?.from).toContain('app@example.com');
      expect(mail?.from).toContain('My Äpp');
      expect([mail?.text.trim(), mail?.html.trim()]).toEqual([text, html]);
    });

    it('gives every attempt to send a message the same Message-ID, and every message its own', async () => {
      const other = '0143ea1b-7d59-7000-8000-6e2d3f7a0c4f';
      for (const id of [MESSAGE.id, MESSAGE.id, other]) await send({ id });
      const ids = opened.delivered().map(({ messageId }) => messageId);
      const [first, second, ...more] = ids.filter((id) => id.includes(MESSAGE.id));
      expect(first).toBeDefined();
      expect([second, more]).toEqual([first, []]);
      expect(ids.filter((id) => id.includes(other))).toHaveLength(1);
    });

    it('does not mix up messages that are sent at the same time', async () => {
      const subjects = Array.from({ length: 8 }, (_, i) => `number ${i}`);
      await Promise.all(subjects.map((subject) => send({ subject, text: subject })));
      const delivered = opened.delivered().map((mail) => `${mail.subject}/${mail.text.trim()}`);
      expect(delivered.toSorted()).toEqual(subjects.map((subject) => `${subject}/${subject}`));
    });

    it.each<readonly [keyof MailMessage, string]>([
      ['subject', 'Hi\r\nBcc: evil@example.org\r\nX-Evil: 1'],
      ['subject', 'Hi\nBcc: evil@example.org'],
      ['subject', 'Hi\rX-Evil: 1\r\n\r\n<p>evil</p>'],
      ['from', 'App\r\nBcc: evil@example.org\r\nX-Evil: 1 <app@example.com>'],
      ['from', 'App <app@example.com>\r\nBcc: evil@example.org'],
      ['from', 'app@example.com>\r\nRCPT TO:<evil@example.org'],
      ['to', 'ann@example.com\r\nBcc: evil@example.org'],
      ['to', 'ann@example.com>\r\nRCPT TO:<evil@example.org'],
      ['to', 'ann@example.com, evil@example.org'],
      ['to', '"x" <ann@example.com>, Evil <evil@example.org>'],
    ])('adds no header and no recipient by %s %j', async (field, value) => {
      const refused = await send({ [field]: value }).then(
        () => null,
        (error: { code?: string }) => error.code,
      );
      // The mailer may reject such a message, but must not send it to other recipients.
      if (refused !== null) expect(refused).toMatch(/^mail\./);
      expect(opened.delivered()).toHaveLength(refused === null ? 1 : 0);
      for (const mail of opened.delivered()) {
        expect(mail.recipients).toHaveLength(1);
        // One text with both addresses would reach both.
        expect(mail.recipients.filter((recipient) => /,.*evil@example\.org/.test(recipient))).toEqual([]);
        expect(mail.recipients).not.toContain('evil@example.org');
        expect(mail.headers ?? []).not.toContain('bcc');
        expect(mail.headers ?? []).not.toContain('x-evil');
        expect(mail.subject).not.toMatch(/[\r\n]/);
        expect(mail.from).not.toMatch(/[\r\n]/);
      }
    });
  });
}
