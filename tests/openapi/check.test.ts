import { beforeAll, describe, expect, it } from 'vitest';
import type { Check, Exchanged } from '../support/openapi/check.ts';
import { conformance } from '../support/openapi/conformance.ts';

const GOOD: Exchanged = {
  method: 'GET',
  url: '/document/books/count',
  sent: undefined,
  status: 200,
  type: 'application/json; charset=utf-8',
  text: '{"result":"ok","data":{"count":1},"http_code":200}',
};

const failure = (message: string) =>
  JSON.stringify({
    result: 'error',
    message,
    resource: '/',
    method: 'POST',
    request_header: {},
    API_version: '1',
    http_code: 403,
  });

describe('the check of answers against the description', () => {
  let check: Check;
  beforeAll(async () => {
    check = await conformance();
  });

  it('takes what is declared, and what is no route', () => {
    check(GOOD);
    check({ ...GOOD, url: '/nowhere', status: 404 });
    check({ ...GOOD, method: 'HEAD', text: '' });
  });

  it.each([
    [
      'a status',
      { status: 409, text: '{"message":"The document was changed by others at the same time"}' },
      /409.*response/,
    ],
    [
      'a failure',
      { status: 416, text: '{"message":"There is nothing in this range"}' },
      /range\.unsatisfiable.*config\.fails/,
    ],
    [
      'a failure of a status that another one has',
      { method: 'POST', url: '/push/message', status: 403, text: failure('You lack the permission for this') },
      /access\.denied.*config\.fails/,
    ],
    ['a media type', { type: 'text/html' }, /content: \{ 'text\/html'/],
    ['a member', { text: '{"result":"ok","data":{"count":1,"odd":2},"http_code":200}' }, /additional properties/],
    ['a value', { text: '{"result":"ok","data":{"count":"1"},"http_code":200}' }, /must be integer/],
    ['a query parameter', { url: '/document/books/count?odd=1' }, /"odd" in the query.*querystring/],
  ])('refuses %s that is not declared, and says what to do', (_what, change, expected) => {
    expect(() => check({ ...GOOD, ...change })).toThrow(expected);
  });

  it('refuses a body that the schema does not take, when the service takes it', () => {
    const sent = { type: 'application/json', text: '{"username":1,"password":"x"}' };
    const login = {
      ...GOOD,
      method: 'POST',
      url: '/logout',
      text: '{"result":"ok","data":"user logged out","http_code":200}',
    };
    check({ ...login, sent });
    const rename = { ...GOOD, method: 'PUT', url: '/me/username', text: '{"result":"ok","data":"","http_code":200}' };
    expect(() => check({ ...rename, sent })).toThrow(/must be string/);
  });
});
