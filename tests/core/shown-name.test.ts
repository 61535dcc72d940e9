import { describe, expect, it } from 'vitest';
import { shownName } from '../../packages/core/src/mail/shown-name.ts';

const STRANGER = 'stranger@example.com';

describe('the name in a mail to an address that nobody has verified', () => {
  it.each(['ann', 'Anna Schmidt', "Conan O'Brien", 'Jean-Luc', 'müller_2024', 'Zoë', '山田太郎', 'محمد علي', 'ann99'])(
    'is complete when it is plain: %s',
    (name) => {
      expect(shownName(name, STRANGER)).toBe(name);
    },
  );

  it('is complete when it is the address', () => {
    expect(shownName('Ann@Example.org', 'ann@example.org')).toBe('Ann@Example.org');
  });

  it.each([
    ['Your account is locked: open http://evil.example', 'Your…'],
    ['Click www.evil.example now', 'Click…'],
    ['evil.example', 'evil…'],
    ['call 0800-555-0199', 'call…'],
    ['+1 555 0199 call us', 'call…'],
    ['call5550199', 'call5550…'],
    ['http://evil.example', 'http…'],
    ['您的账户已被锁定请立即拨打电话', '您的账户已被…'],
    ['a'.repeat(128), `${'a'.repeat(32)}…`],
    ['<b>Win</b> money', 'b…'],
    ['5550199', '…'],
    ['locked\nopen', 'locked…'],
  ])('carries no sentence, link or number: %s', (name, shown) => {
    expect(shownName(name, STRANGER)).toBe(shown);
  });
});
