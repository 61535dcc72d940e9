import type { Profile } from '@baobab/client';
import { AUDIT_ACTS } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { texts as german } from '../../packages/console/src/texts/de/index.ts';
import { texts as english } from '../../packages/console/src/texts/en/index.ts';
import { ACTS, timesOf } from '../../packages/console/src/values/audit.ts';
import { memberOf, membersOf } from '../../packages/console/src/values/profiles.ts';
import { parsePublicUrl } from '../../packages/console/src/values/public-url.ts';
import { EMPTY_DRAFT, isCount, messageOf, namesIn } from '../../packages/console/src/values/push.ts';
import { groupsOf, pageOfCheck, SETTING_PAGES } from '../../packages/console/src/values/setting-pages.ts';
import { unexpectedText } from '../../packages/console/src/values/unexpected.ts';

describe('filters of audit events', () => {
  it('offer every act', () => {
    expect(ACTS).toEqual(AUDIT_ACTS);
  });

  it('include the last day', () => {
    expect(timesOf('2026-01-01', '2026-01-31')).toEqual({
      from: '2026-01-01T00:00:00Z',
      until: '2026-02-01T00:00:00.000Z',
    });
    expect(timesOf('', '')).toEqual({});
    expect(timesOf('soon', 'later')).toEqual({});
  });
});

describe('a public address', () => {
  it.each([
    ['https://api.example.org', 'api.example.org', 443, true],
    ['http://localhost:9000', 'localhost', 9000, false],
    ['http://[::1]:80/', '[::1]', 80, false],
  ])('%s has a host, a port and a scheme', (text, host, port, isSecure) => {
    expect(parsePublicUrl(text)).toEqual({ host, port, isSecure });
  });

  it.each(['', 'api.example.org', 'ftp://a.example', 'https://a.example/path', 'https://a.example/?q', 'javascript:1'])(
    '%j is none',
    (text) => {
      expect(parsePublicUrl(text)).toBeNull();
    },
  );
});

describe('a notification', () => {
  it('leaves out what is empty', () => {
    expect(messageOf({ ...EMPTY_DRAFT, text: 'Hi' }, {})).toEqual({ message: 'Hi' });
    const full = { text: 'Hi', sound: 'bell', badge: '0', collapseKey: 'k', timeToLive: '60' };
    expect(messageOf(full, { a: 1 })).toEqual({
      message: 'Hi',
      custom: { a: 1 },
      badge: 0,
      sound: 'bell',
      collapse_key: 'k',
      time_to_live: 60,
    });
    expect([isCount(''), isCount('12'), isCount('-1'), isCount('1.5'), isCount('x')]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('goes to each name once', () => {
    expect(namesIn(' ann, bob\nann,, eve ')).toEqual(['ann', 'bob', 'eve']);
  });
});

describe('profiles', () => {
  const profile = (visibleByTheUser: object | null, visibleByFriend: object | null) =>
    ({ visibleByTheUser, visibleByFriend, visibleByRegisteredUsers: {}, visibleByAnonymousUsers: null }) as Profile;

  it('have members in sections, the most frequent first', () => {
    const profiles = [profile({ 'a.b': 1 }, { c: 2 }), profile(null, { c: 3 })];
    expect(membersOf(profiles)).toEqual(['visibleByFriend.c', 'visibleByTheUser.a.b']);
    expect(profiles.map((one) => memberOf(one, 'visibleByTheUser.a.b'))).toEqual([1, undefined]);
    expect(memberOf(profile({}, {}), 'nothing.a')).toBeUndefined();
    expect(memberOf(profile({}, {}), 'visibleByTheUser.constructor')).toBeUndefined();
  });
});

it('finds no page of settings by a name that every object has', () => {
  expect(groupsOf('general', [{ section: 'toString', key: 'a' }])).toEqual([]);
});

it.each([
  ['backups', 'Application', 'backup.interval.hours'],
  ['clock', 'Application', 'clock.grace.minutes'],
  ['public_url', 'Application', 'network.http.url'],
  ['mail', 'PasswordRecovery', 'network.smtp.host'],
] as const)('leads from the check %s to the page of its settings', (check, section, key) => {
  const page = SETTING_PAGES.find((one) => groupsOf(one, [{ section: '', key }]).length > 0);
  expect(pageOfCheck({ check, section })).toBe(page);
});

describe('a response of a proxy or another page', () => {
  it.each([
    [413, 'requests of this size'],
    [502, 'its address in the configuration of the proxy'],
    [503, 'its address in the configuration of the proxy'],
    [504, 'proxy_read_timeout'],
    [200, 'sign-in page'],
    [511, 'sign-in page'],
    [403, 'Unexpected server response'],
  ])('with status %i says what to do', (status, part) => {
    const text = unexpectedText(status, english.failure);
    expect(text).toContain(part);
    for (const one of [text, unexpectedText(status, german.failure)]) expect(one).toContain(`(${status})`);
  });
});
