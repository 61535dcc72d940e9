import { describe, expect, it } from 'vitest';
import { createTerminal } from '../../packages/server/src/terminal/terminal.ts';

const { format } = createTerminal({ NO_COLOR: '1' });
const line = (fields: object) => format(JSON.stringify({ level: 30, time: 0, ...fields }));

describe('a line of the log at a terminal', () => {
  it('names the request in the message, and shows all other fields', () => {
    const request = { reqId: 'a-1', method: 'GET', path: '/me', status: 200, ms: 1.2, user: 'u1', msg: 'request' };
    expect(line(request)).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: GET \/me 200 1\.2 ms {"user":"u1"}\n$/);
    expect(line({ method: 'GET', path: '/me', msg: 'request failed' })).toMatch(/INFO: request failed GET \/me\n$/);
    expect(line({ ms: 1_200, statement: 'select 1', msg: 'slow statement' })).toMatch(
      /INFO: slow statement 1200 ms {"statement":"select 1"}\n$/,
    );
  });

  it('cannot control the terminal', () => {
    const hostile = '\u001b[2J\u009b2J\u0007\u0008';
    const shown = line({ method: 'GET', path: `/${hostile}`, msg: 'request', name: hostile }) + format(`no ${hostile}`);
    expect(shown).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(shown).toContain('/\\u001b[2J\\u009b2J');
  });
});
