import { isInternalName, newUserName, parseSections, skeletonOf, userKey } from '@baobab/core';
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
      expect(() => newUserName(name)).toThrow(expect.objectContaining({ code: 'user.internal' }));
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
    expect(() => newUserName(name)).toThrow(expect.objectContaining({ code: 'user.internal' }));
  });

  it.each([
    'a',
    'admins',
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
    expect(() => newUserName(name)).not.toThrow();
  });

  it.each([
    '',
    ' ',
    'a\tb',
    'a\u202eb',
    'a\u2028b',
    '\ud800',
    '\u{E000}',
    '😀'.repeat(129),
    '\u2800',
    'an\u2800n',
    '.',
    '..',
    '.\u200d.',
    '．．',
    'a/b',
    'x/../vic',
    'a\\b',
    'a？b/',
    '／..／vic',
    'why?',
    'a#b',
    '50%',
    'x%2F..%2Fvic',
    '\u0301',
    '\u200d\ufe0f',
  ])('cannot be %j', (name) => {
    expect(() => newUserName(name)).toThrow(expect.objectContaining({ code: 'user.name_invalid' }));
  });
});

describe('what surrounds a name', () => {
  it.each([
    ' ann',
    'ann ',
    'ann\u00a0',
    '\u3000ann',
    'ann\n',
    'ann\u200b',
    '\ufeffann',
    '\u202eann\u2800',
    'ann\u200d',
  ])('does not belong to it: %j', (typed) => {
    expect(newUserName(typed)).toBe('ann');
    expect(userKey(typed)).toBe('ann');
  });

  it('is removed in linear time', () => {
    const blanks = ' '.repeat(500_000);
    expect(userKey(`a${blanks}b`)).toHaveLength(500_002);
    expect(userKey(`${blanks}a${blanks}`)).toBe('a');
  });

  it('is no emoji variation selector', () => {
    expect(newUserName('❤\ufe0f ')).toBe('❤\ufe0f');
  });

  it('leaves the name in NFC', () => {
    expect(newUserName('u\u0308 ')).toBe('\u00fc');
  });
});

describe('reserved names', () => {
  it.each([
    'suspend',
    'Activate',
    'sessions ',
    'PASSWORD',
    'administrator',
    'root',
    'Support',
    'BackOffice',
    'suppоrt',
  ])('cannot be taken: %s', (name) => {
    expect(() => newUserName(name)).toThrow(expect.objectContaining({ code: 'user.internal' }));
  });

  it.each(['suspended', 'rooted', 'supporter', 'emails', 'guest1', 'Names'])(
    'can be part of another name: %s',
    (name) => {
      expect(newUserName(name)).toBe(name);
    },
  );
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
    'a@',
    '@b.c',
    "a@b'c.de",
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

  it.each(['a@b.c', 'first.last+tag@mail.example.co', 'é@exämple.com', "pat.o'brien@example.org", 'ann@intranet', ''])(
    'can have the e-mail address "%s"',
    (email) => {
      expect(parseSections({ visibleByTheUser: { email } })).toEqual({ visibleByTheUser: JSON.stringify({ email }) });
    },
  );
});

it('ignores invisible characters', () => {
  expect(userKey('a\u200dnn')).toBe(userKey('Ann'));
  expect(() => newUserName('ad\u200dmin')).toThrowError(expect.objectContaining({ code: 'user.internal' }));
  for (const name of ['\u200d', '\u3164', 'a\u3164b', '\u00ad', 'a\u034fb']) {
    expect(() => newUserName(name)).toThrowError(expect.objectContaining({ code: 'user.name_invalid' }));
  }
  for (const name of ['👩\u200d🚀', '❤\ufe0f', 'می\u200cخواهم']) expect(() => newUserName(name)).not.toThrow();
});
