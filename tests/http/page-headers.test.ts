import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { requestLink, withAddress } from '../support/password-reset.ts';
import { setSettings } from '../support/people.ts';

describe('the headers of our own pages', () => {
  let backend: TestBackend;
  let world: World;
  let reset = '';

  beforeAll(async () => {
    backend = await createTestBackend();
    world = createWorld(backend);
    await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' });
    reset = await requestLink(world, (await withAddress(world)).name);
  });
  afterAll(() => backend.close());

  const PAGES: ReadonlyArray<readonly [what: string, path: () => string]> = [
    ['the first page', () => '/'],
    ['the reference', () => '/docs'],
    ['the form of a new password', () => reset],
    ['a link that does not work', () => '/user/password/reset/nothing'],
    ['the page of an address', () => '/user/email/confirm/nothing'],
  ];

  it.each(PAGES)(
    '%s: nothing is loaded from elsewhere, framed, guessed, referred to or stored as a cookie',
    async (_what, path) => {
      const { headers, text } = await world.call('GET', path(), { appCode: null, headers: { accept: 'text/html' } });
      expect(headers['content-type']).toContain('text/html');
      const policy = String(headers['content-security-policy']);
      for (const rule of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(rule);
      expect(policy).not.toMatch(/script-src[^;]*'unsafe-|\*|https?:/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['set-cookie']).toBeUndefined();
      expect(text).not.toMatch(/X-BB-SESSION=/i);
    },
  );
});
