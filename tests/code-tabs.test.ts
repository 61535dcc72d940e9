import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toJavaScript, toPython } from '../docs/.vitepress/requests.ts';
import { readRequests, type Step } from '../docs/.vitepress/shell.ts';
import { createFolder } from './support/databases.ts';
import { fences, shellKind } from './support/fences.ts';
import { type Interpreter, openNode, openPython } from './support/interpreter.ts';
import { allDocuments, readDocument } from './support/markdown.ts';

/** The part of the library requests that the guide uses, on Python's own library. */
const REQUESTS = `
import base64, json as codec, urllib.parse, urllib.request, urllib.error

class Response:
    def __init__(self, status, body):
        self.status_code, self.body = status, body
    def json(self):
        return codec.loads(self.body)

def send(method):
    def call(url, headers=None, auth=None, json=None, data=None, params=None):
        headers = dict(headers or {})
        if auth: headers["Authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()
        if json is not None: headers["Content-Type"] = "application/json"; data = codec.dumps(json)
        if params: url += "?" + urllib.parse.urlencode(params)
        request = urllib.request.Request(url, data and data.encode(), headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer: return Response(answer.status, answer.read())
        except urllib.error.HTTPError as error: return Response(error.code, error.read())
    return call

for name in ("get", "post", "put", "patch", "delete", "head"): globals()[name] = send(name.upper())
`;

/** A request as far as the service looks at it. */
type Seen = readonly unknown[];

const HEADERS = ['x-service-appcode', 'x-bb-session', 'authorization', 'idempotency-key', 'if-none-match', 'if-match'];

const blocks = allDocuments().flatMap((path) =>
  fences(readDocument(path))
    .filter((fence) => shellKind(fence) === 'run')
    .flatMap((fence) => {
      const steps = readRequests(fence.text);
      return steps === null ? [] : [{ place: `${path}:${fence.line}`, fence }];
    }),
);

/** Variables that earlier blocks of the page have set. */
const GIVEN: Readonly<Record<string, string>> = {
  CODE: 'X-SERVICE-APPCODE: 1234567890',
  JSON: 'Content-Type: application/json',
};

describe('the tabs of the guide', () => {
  let server: Server;
  let base: string;
  let seen: Seen[] = [];
  let node: Interpreter;
  let python: Interpreter;
  const folder = createFolder();

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const body = await text(request);
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
      const isJson = request.headers['content-type'] === 'application/json';
      const headers = HEADERS.map((name) => request.headers[name]);
      const query = Array.from(searchParams).toSorted();
      seen.push([request.method, decodeURIComponent(pathname), query, headers, isJson ? JSON.parse(body) : body]);
      const data = { id: 'an-id', 'X-BB-SESSION': 'a-token' };
      response.end(JSON.stringify({ result: 'ok', data, next: 'a-cursor' }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : ''}`;
    mkdirSync(join(folder.path, 'stand-in'));
    writeFileSync(join(folder.path, 'stand-in', 'requests.py'), REQUESTS);
    node = openNode();
    python = openPython(join(folder.path, 'stand-in'));
  });
  afterAll(() => {
    node.close();
    python.close();
    server.close();
    folder.remove();
  });

  /** The requests of a shell script. */
  async function sentByShell(script: string, env: Readonly<Record<string, string>>) {
    seen = [];
    const child = spawn('bash', ['-ec', script], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', ...env },
      // With a pipe, bash takes us for a remote shell and reads the settings of the user.
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [errors] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
    expect(errors).toBe('');
    return seen;
  }

  /** The requests of a script in another language. */
  async function sentBy(interpreter: Interpreter, script: string) {
    seen = [];
    expect(await interpreter.run(script)).toBe('');
    return seen;
  }

  /** The variables that the steps read and do not set, as assignments. */
  function given(steps: readonly Step[]): Map<string, string> {
    const used = Array.from(JSON.stringify(steps).matchAll(/"variable":"(\w+)"/g), ([, name = '']) => name);
    const set = new Set(steps.flatMap((step) => (step.kind === 'request' ? [] : [step.variable])));
    const names = [...new Set([...used, 'CODE'])].filter((name) => !set.has(name));
    const isAddress = (name: string) =>
      steps.some(
        (step) => step.kind === 'request' && JSON.stringify(step.url[0]) === JSON.stringify({ variable: name }),
      );
    return new Map(names.map((name) => [name, isAddress(name) ? base : (GIVEN[name] ?? `a-${name}`)]));
  }

  it('exist for most of the requests in the documents', () => {
    expect(blocks.length).toBeGreaterThan(50);
  });

  it.each(blocks)('send the same requests in every language: $place', async ({ fence }) => {
    const script = fence.text.replaceAll('http://localhost:9000', base);
    const steps = readRequests(script) ?? [];
    const before = given(steps);
    const value = (name: string) => (before.get(name) ?? '').replace('X-SERVICE-APPCODE: ', '');
    const names = [...before.keys()].filter((name) => name !== 'JSON');
    const shell = await sentByShell(script, { JSON: GIVEN.JSON ?? '', ...Object.fromEntries(before) });
    expect(shell.length).toBeGreaterThan(0);

    const constants = names.map((name) => `const ${name} = ${JSON.stringify(value(name))};`).join('\n');
    expect(await sentBy(node, `${constants}\n${toJavaScript(steps)}`)).toEqual(shell);

    const globals = names.map((name) => `${name} = ${JSON.stringify(value(name))}`).join('\n');
    expect(await sentBy(python, `import requests\n${globals}\n${toPython(steps)}`)).toEqual(shell);
  });

  it.each([
    ['a loop', 'for name in a b; do curl -s http://localhost; done'],
    ['another program', 'curl -s http://localhost | grep x'],
    ['a substitution', 'curl -s http://localhost/$(id)'],
    ['a file', 'curl -s http://localhost -F file=@x'],
    ['an unfinished text', "curl -s 'http://localhost"],
    ['no request', 'ls'],
  ])('do not exist for a block with %s', (_what, script) => {
    expect(readRequests(script)).toBeNull();
  });
});

it('needs Python', () => {
  expect(spawnSync('python3', ['--version']).status).toBe(0);
});
