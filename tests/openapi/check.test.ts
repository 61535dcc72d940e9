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

const failure = (code: string) =>
  JSON.stringify({
    result: 'error',
    message: 'It failed',
    code,
    resource: '/',
    method: 'POST',
    request_header: {},
    API_version: '1',
    http_code: 403,
  });

describe('the check of answers against the document', () => {
  let check: Check;
  beforeAll(async () => {
    check = await conformance();
  });

  it('accepts declared answers, and ignores unknown routes', () => {
    check(GOOD);
    check({ ...GOOD, url: '/nowhere', status: 404 });
    check({ ...GOOD, method: 'HEAD', text: '' });
  });

  it.each([
    ['a status', { status: 409, text: failure('document.busy') }, /409.*document\.busy.*config\.fails/],
    ['a failure', { status: 416, text: failure('range.unsatisfiable') }, /range\.unsatisfiable.*config\.fails/],
    [
      'a failure with the status of another one',
      { method: 'POST', url: '/push/message', status: 403, text: failure('access.denied') },
      /access\.denied.*config\.fails/,
    ],
    ['a media type', { type: 'text/html' }, /content: \{ 'text\/html'/],
    ['a member', { text: '{"result":"ok","data":{"count":1,"odd":2},"http_code":200}' }, /additional properties/],
    ['a value', { text: '{"result":"ok","data":{"count":"1"},"http_code":200}' }, /must be integer/],
    ['a query parameter', { url: '/document/books/count?odd=1' }, /"odd" in the query.*querystring/],
  ])('rejects %s that is not declared, and says what to declare', (_what, change, expected) => {
    expect(() => check({ ...GOOD, ...change })).toThrow(expected);
  });

  it('rejects a body that violates the schema when the service accepts it', () => {
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
