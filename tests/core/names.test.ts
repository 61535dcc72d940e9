import { checkUserName, isInternalName, parseSections, userKey } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('user names', () => {
  it('that differ in case, width or composition are the same name', () => {
    for (const [one, two] of [
      ['Ann', 'aNN'],
      ['Ａｎｎ', 'ann'],
      ['Zoe\u0308', 'ZOË'],
      ['ﬁn', 'FIN'],
      ['Σίσυφος', 'σίσυφοσ'.replace(/σ$/, 'ς')],
    ] as const) {
      expect(userKey(one)).toBe(userKey(two));
    }
    expect(userKey('ann')).not.toBe(userKey('anna'));
  });

  it('are the same as themselves in upper case and in lower case, for ASCII', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(userKey(name.toUpperCase())).toBe(userKey(name));
        expect(userKey(userKey(name))).toBe(userKey(name));
      }),
    );
  });

  it.each(['admin', 'ADMIN', 'ａｄｍｉｎ', 'Anonymous', '_x', '＿x'])(
    'of the service, as "%s", cannot be taken',
    (name) => {
      expect(isInternalName(name)).toBe(true);
      expect(() => checkUserName(name)).toThrow(expect.objectContaining({ code: 'user.internal' }));
    },
  );

  it.each(['a', 'admins', 'x_', '漢字', 'a b', '👩‍🚀', '😀'.repeat(128)])('may be "%s"', (name) => {
    expect(() => checkUserName(name)).not.toThrow();
  });

  it.each(['', ' ', ' a', 'a\n', 'a\tb', '\u202ea', 'a\u2028b', '\ufeffa', '\ud800', '\u{E000}', '😀'.repeat(129)])(
    'may not be %j',
    (name) => {
      expect(() => checkUserName(name)).toThrow(expect.objectContaining({ code: 'user.name_invalid' }));
    },
  );
});

describe('sections of a profile', () => {
  it('that are not sent are absent, and those that are come as text', () => {
    expect(parseSections({})).toEqual({});
    expect(parseSections({ visibleByTheUser: { b: 1, a: [] } })).toEqual({ visibleByTheUser: '{"b":1,"a":[]}' });
    expect(parseSections({ visibleByFriends: { a: 1 } })).toEqual({ visibleByFriend: '{"a":1}' });
    expect(parseSections({ other: 1, toString: {} })).toEqual({});
  });

  it('lose what the service owns', () => {
    const section = { _social: { google: 1 }, a: { _social: 2 } };
    expect(parseSections({ visibleByRegisteredUsers: section })).toEqual({
      visibleByRegisteredUsers: '{"a":{"_social":2}}',
    });
  });

  it.each([null, [], 'x', 1, true])('cannot be %j', (section) => {
    for (const name of ['visibleByTheUser', 'visibleByFriend', 'visibleByFriends', 'visibleByAnonymousUsers']) {
      expect(() => parseSections({ [name]: section })).toThrow(
        expect.objectContaining({ code: 'user.section_invalid' }),
      );
    }
  });

  it.each([
    'a@b',
    '@b.c',
    'a b@c.d',
    'a@b..c',
    'a@b.c\nBcc: x@y.z',
    '<a@b.c>',
    'a@b.c,d@e.f',
    `${'a'.repeat(251)}@b.c`,
    7,
  ])('cannot have the e-mail address %j', (email) => {
    const attempt = () => parseSections({ visibleByTheUser: { email } });
    expect(attempt).toThrow(expect.objectContaining({ code: 'user.email_invalid' }));
    expect(parseSections({ visibleByFriend: { email } })).toHaveProperty('visibleByFriend');
  });

  it.each(['a@b.c', 'first.last+tag@mail.example.co', 'é@exämple.com', ''])(
    'may have the e-mail address "%s"',
    (email) => {
      expect(parseSections({ visibleByTheUser: { email } })).toEqual({ visibleByTheUser: JSON.stringify({ email }) });
    },
  );
});

it('sees through what nobody sees', () => {
  expect(userKey('a\u200dnn')).toBe(userKey('Ann'));
  expect(() => checkUserName('ad\u200dmin')).toThrowError(expect.objectContaining({ code: 'user.internal' }));
  for (const name of ['\u200d', '\u3164', 'a\u3164b', '\u00ad', 'a\u034fb']) {
    expect(() => checkUserName(name)).toThrowError(expect.objectContaining({ code: 'user.name_invalid' }));
  }
  for (const name of ['👩\u200d🚀', '❤\ufe0f', 'می\u200cخواهم']) expect(() => checkUserName(name)).not.toThrow();
});
