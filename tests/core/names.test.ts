import { checkUserName, isInternalName, parseSections, skeletonOf, userKey } from '@baobab/core';
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
    'of the service, such as "%s", cannot be taken',
    (name) => {
      expect(isInternalName(name)).toBe(true);
      expect(() => checkUserName(name)).toThrow(expect.objectContaining({ code: 'user.internal' }));
    },
  );

  it.each([
    ['a Cyrillic a', '\u0430dmin'],
    ['a Cyrillic capital A', '\u0410DMIN'],
    ['a Cyrillic capital I', 'ADM\u0406N'],
    ['an i without a dot', 'adm\u0131n'],
    ['an I with a dot', 'adm\u0130n'],
    ['a Latin alpha', '\u0251dmin'],
    ['an l for the i', 'admln'],
    ['a 1 for the i', 'Adm1n'],
    ['rn for the m', 'adrnin'],
    ['a Greek o', 'an\u03bfnymous'],
    ['a 0 for the o', 'anonym0us'],
    ['a lajanyalan of NKo for the _', '\u07fax'],
  ])('that look like a name of the service by %s cannot be taken', (_what, name) => {
    expect(isInternalName(name)).toBe(false);
    expect(() => checkUserName(name)).toThrow(expect.objectContaining({ code: 'user.internal' }));
  });

  it.each([
    'a',
    'admins',
    'administrator',
    'admiral',
    'madmin',
    'ädmin',
    'user1',
    'userl',
    'müller',
    'x_',
    '漢字',
    'a b',
    '👩‍🚀',
    '😀'.repeat(128),
  ])('can be "%s"', (name) => {
    expect(() => checkUserName(name)).not.toThrow();
  });

  it.each([
    '',
    ' ',
    ' a',
    'a\n',
    'a\tb',
    '\u202ea',
    'a\u2028b',
    '\ufeffa',
    '\ud800',
    '\u{E000}',
    '😀'.repeat(129),
    '\u2800',
    'ann\u2800',
    '\u0301',
    '\u200d\ufe0f',
  ])('cannot be %j', (name) => {
    expect(() => checkUserName(name)).toThrow(expect.objectContaining({ code: 'user.name_invalid' }));
  });
});

describe('skeletons', () => {
  it.each([
    ['carol', '\u0441arol'],
    ['BOB', '\u0392OB'],
    ['bob', '\u0392ob'],
    ['vadim', '\u03bdadim'],
    ['Lila', '\u0406ila'],
    ['m', 'rn'],
    ['user1', 'userl'],
    ['o', '0'],
    ['jos\u00e9', 'jose\u0301'],
    ['\u0142ukasz', '\u0141UKASZ'],
    ['a\u200db', 'ab'],
    ['\u{1d41a}nn', 'Ann'],
  ])('of %s and %s are one', (one, two) => {
    expect(skeletonOf(one)).toBe(skeletonOf(two));
  });

  it.each([
    ['carol', 'karol'],
    ['jos\u00e9', 'jose'],
    ['m\u00fcller', 'muller'],
    ['m\u00fcller', 'myller'],
    ['\u0438\u0432\u0430\u043d', '\u0438\u0432\u0430\u043d\u0430'],
    ['\u7530\u4e2d', '\u4e2d\u7530'],
    ['\ud83d\ude00', '\ud83d\ude01'],
    ['anna', 'ann'],
    ['user1', 'user2'],
  ])('of %s and %s differ', (one, two) => {
    expect(skeletonOf(one)).not.toBe(skeletonOf(two));
  });

  it('ignore case in ASCII, and have a maximum length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (any, ascii) => {
        expect(skeletonOf(ascii.toUpperCase())).toBe(skeletonOf(ascii));
        expect(Array.from(skeletonOf(any)).length).toBeLessThanOrEqual(512);
      }),
    );
    expect(Array.from(skeletonOf('\ufdfa'.repeat(128)))).toHaveLength(512);
  });
});

describe('sections of a profile', () => {
  it('are absent when they are not sent, and kept as JSON text otherwise', () => {
    expect(parseSections({})).toEqual({});
    expect(parseSections({ visibleByTheUser: { b: 1, a: [] } })).toEqual({ visibleByTheUser: '{"b":1,"a":[]}' });
    expect(parseSections({ visibleByFriends: { a: 1 } })).toEqual({ visibleByFriend: '{"a":1}' });
    expect(parseSections({ other: 1, toString: {} })).toEqual({});
  });

  it('lose the members that the service owns', () => {
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
    'can have the e-mail address "%s"',
    (email) => {
      expect(parseSections({ visibleByTheUser: { email } })).toEqual({ visibleByTheUser: JSON.stringify({ email }) });
    },
  );
});

it('ignores invisible characters', () => {
  expect(userKey('a\u200dnn')).toBe(userKey('Ann'));
  expect(() => checkUserName('ad\u200dmin')).toThrowError(expect.objectContaining({ code: 'user.internal' }));
  for (const name of ['\u200d', '\u3164', 'a\u3164b', '\u00ad', 'a\u034fb']) {
    expect(() => checkUserName(name)).toThrowError(expect.objectContaining({ code: 'user.name_invalid' }));
  }
  for (const name of ['👩\u200d🚀', '❤\ufe0f', 'می\u200cخواهم']) expect(() => checkUserName(name)).not.toThrow();
});
