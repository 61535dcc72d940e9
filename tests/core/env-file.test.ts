import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseEnvFile } from '../../packages/server/src/config/env-file.ts';
import { completeEnvironment } from '../../packages/server/src/environment.ts';
import { readDocument } from '../support/markdown.ts';
import { createSetUp } from '../support/set-up.ts';

const { folder } = createSetUp();

const parsed = (content: string | Uint8Array) =>
  Object.fromEntries(parseEnvFile(Buffer.from(content), '.env').map(({ name, value }) => [name, value]));

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof Error && 'problems' in error) return error.problems as readonly string[];
    throw error;
  }
  return [];
}

describe('the file .env', () => {
  it.each<[string, string, Record<string, string>]>([
    ['a byte order mark', '\ufeffPORT=1\nHOST=::', { PORT: '1', HOST: '::' }],
    ['line ends of Windows', 'PORT=1\r\n\r\nHOST=::\r\n', { PORT: '1', HOST: '::' }],
    ['line ends of old Macs', 'PORT=1\rHOST=::\r', { PORT: '1', HOST: '::' }],
    ['export', 'export PORT=1\n  export  HOST = ::', { PORT: '1', HOST: '::' }],
    ['blanks around the sign and the value', ' PORT =  1  \n\tHOST\t=\t::', { PORT: '1', HOST: '::' }],
    ['comments', '# PORT=1\n  # x\nHOST=:: # all\nPORT= # none', { HOST: '::', PORT: '' }],
    ['# inside of a value', 'ADMIN_PASSWORD=pass#word\nAPP_CODE=#1', { ADMIN_PASSWORD: 'pass#word', APP_CODE: '' }],
    ['# in quotes', 'A="a # b" # c\nB=\'# b\'\nC=`"#\'`', { A: 'a # b', B: '# b', C: '"#\'' }],
    ['quotes inside of a value', 'A=it\'s\nB=a"b', { A: "it's", B: 'a"b' }],
    ['= in a value', 'DATABASE_URL=postgres://a/b?c=d', { DATABASE_URL: 'postgres://a/b?c=d' }],
    ['line breaks in quotes', 'A="a\\nb\r\nc"\nB=1', { A: 'a\nb\nc', B: '1' }],
    ['nothing', '', {}],
  ])('may have %s', (_what, text, expected) => {
    expect(parsed(text)).toEqual(expected);
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['UTF-16', Buffer.from('\ufeffPORT=1\n', 'utf16le'), /^\.env is encoded in UTF-16; save it as UTF-8$/],
    ['UTF-16 without a mark', Buffer.from('PORT=1\n', 'utf16le'), /^\.env is encoded in UTF-16/],
    ['big-endian UTF-16', Buffer.from('\ufeffPORT=1\n', 'utf16le').swap16(), /^\.env is encoded in UTF-16/],
    ['Latin-1', Buffer.from('ADMIN_PASSWORD=caf\u00e9', 'latin1'), /^\.env is not encoded in UTF-8/],
    ['a line of the command prompt', 'A=1\nset PORT=hidden', /^\.env, line 2: remove "set", which .*NAME=value$/],
    ['a line of PowerShell', '$env:PORT = "hidden"', /^\.env, line 1: remove "\$env:", which .*NAME=value$/],
    ['YAML', '\n\nPORT: hidden', /^\.env, line 3: write = instead of the colon: NAME=value$/],
    ['a name alone', 'hidden', /^\.env, line 1: expected NAME=value, or # before a comment$/],
    ['a comment of another language', '// hidden', /^\.env, line 1: expected NAME=value/],
    ['typographic quotes', 'PORT=\u201chidden\u201d', /^\.env, line 1: the quotes around PORT are typographic; /],
    ['an open quote', 'A=1\nPORT="hidden\nB=2', /^\.env, line 2: the quote of PORT is not closed$/],
    ['text after a quote', 'PORT="1"hidden', /^\.env, line 1: text follows the closing quote of PORT$/],
    ['text after a quote of several lines', 'PORT="1\n2" hidden', /^\.env, line 2: text follows the closing/],
    ['a variable twice', 'PORT=1\nHOST=a\nPORT=hidden', /^\.env, line 3: PORT is already set in line 1; /],
    ['a variable of Node', 'NODE_EXTRA_CA_CERTS=hidden', /^\.env, line 1: NODE_EXTRA_CA_CERTS has no effect here/],
  ])('may not have %s', (_what, content, expected) => {
    const problems = problemsOf(() => parsed(content));
    expect(problems).toEqual([expect.stringMatching(expected)]);
    expect(problems.join()).not.toContain('hidden');
  });

  it('names every line that is not understood', () => {
    expect(problemsOf(() => parsed('set A=1\nB=2\nC\n'))).toHaveLength(2);
  });
});

describe('the environment and its files', () => {
  const env: Record<string, string | undefined> = {};
  afterEach(() => {
    for (const name of Object.keys(env)) delete env[name];
  });

  function complete(given: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) {
    const cwd = folder();
    for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
    Object.assign(env, given);
    return { ...completeEnvironment(env, cwd), cwd };
  }

  it('reads values from files, without the line break at the end', () => {
    const files = { key: `${'k'.repeat(40)}\n`, password: 'p\r\n', port: '8080', lines: 'a\n\n' };
    const given = {
      SECRET_KEY_FILE: 'key',
      ADMIN_PASSWORD_FILE: 'password',
      PORT_FILE: 'port',
      APP_CODE_FILE: 'lines',
    };
    const { sources, cwd } = complete(given, files);
    expect(env).toEqual({ SECRET_KEY: 'k'.repeat(40), ADMIN_PASSWORD: 'p', PORT: '8080', APP_CODE: 'a\n' });
    expect(sources.get('SECRET_KEY')).toBe(join(cwd, 'key'));
  });

  it('reads the files that the documentation names', () => {
    const [, block = ''] = /```env value-files\n([\s\S]*?)```/.exec(readDocument('docs/configuration.md')) ?? [];
    const names = Object.keys(parsed(block));
    expect(names).toContain('SECRET_KEY_FILE');
    const files = Object.fromEntries(names.map((name) => [name, `of ${name}\n`]));
    complete(Object.fromEntries(names.map((name) => [name, name])), files);
    expect(env).toEqual(Object.fromEntries(names.map((name) => [name.replace(/_FILE$/, ''), `of ${name}`])));
  });

  it('says where each value comes from', () => {
    const { sources, cwd } = complete(
      { HOST: '::', PORT: '', LOG_LEVEL: 'warn' },
      { '.env': '\nLOG_LEVEL=info\nAPP_CODE=a\nDATA_DIR=\nADMIN_PASSWORD_FILE=password', password: 'p' },
    );
    expect(Object.fromEntries(sources)).toEqual({
      HOST: 'environment',
      LOG_LEVEL: 'environment',
      APP_CODE: '.env, line 3',
      ADMIN_PASSWORD: join(cwd, 'password'),
    });
    expect(env).toMatchObject({ LOG_LEVEL: 'warn', ADMIN_PASSWORD: 'p' });
  });

  it('prefers the environment to .env, whether the value is given directly or in a file', () => {
    complete({ SECRET_KEY_FILE: 'key' }, { '.env': 'SECRET_KEY=of-dotenv', key: 'of-file' });
    expect(env.SECRET_KEY).toBe('of-file');
    complete({ ADMIN_PASSWORD: 'of-environment' }, { '.env': 'ADMIN_PASSWORD_FILE=missing' });
    expect(env.ADMIN_PASSWORD).toBe('of-environment');
  });

  it.each<[Readonly<Record<string, string>>, RegExp]>([
    [
      { SECRET_KEY: 'hidden', SECRET_KEY_FILE: 'key' },
      /^SECRET_KEY and SECRET_KEY_FILE are both set; unset one of them$/,
    ],
    [
      { DATABASE_URL_FILE: 'missing' },
      /^DATABASE_URL_FILE: the file cannot be read; .*\(ENOENT, relative to \/[^:]*\)$/,
    ],
    [{ DATABASE_URL_FILE: 'folder' }, /^DATABASE_URL_FILE: the file cannot be read; .*\(EISDIR, relative to /],
    [{ BLOB_URL_FILE: 'empty' }, /^BLOB_URL_FILE: .*empty is empty; write the value into it$/],
    [{ ADMIN_PASSWORD_FILE: 'utf16' }, /^ADMIN_PASSWORD_FILE: .*utf16 is encoded in UTF-16/],
    [{ SECRET_KYE_FILE: 'key' }, /^SECRET_KYE_FILE is unknown and has no effect; did you mean SECRET_KEY_FILE\?$/],
    [{ DATABASE_PASSWORD_FILE: 'key' }, /^DATABASE_PASSWORD_FILE is unknown .* did you mean DATABASE_\w+_FILE\?$/],
    [{ ADMIN_PASS_FILE: 'key' }, /^ADMIN_PASS_FILE is unknown .* did you mean ADMIN_PASSWORD_FILE\?$/],
    [{ BAOBAB_SECRET_KEY_FILE: 'key' }, /^BAOBAB_SECRET_KEY_FILE is unknown .* did you mean SECRET_KEY_FILE\?$/],
    [{ AWS_SECRET_ACESS_KEY_FILE: 'key' }, /^AWS_SECRET_ACESS_KEY_FILE is unknown .* AWS_SECRET_ACCESS_KEY_FILE\?$/],
  ])('is refused in one line with %o', (given, expected) => {
    const cwd = folder();
    mkdirSync(join(cwd, 'folder'));
    writeFileSync(join(cwd, 'key'), 'hidden');
    writeFileSync(join(cwd, 'empty'), '\n');
    writeFileSync(join(cwd, 'utf16'), Buffer.from('hidden', 'utf16le'));
    const problems = problemsOf(() => completeEnvironment({ ...given }, cwd));
    expect(problems).toEqual([expect.stringMatching(expected)]);
    expect(problems.join()).not.toContain('hidden');
  });

  it('ignores the files of other programs', () => {
    const others = {
      AWS_SHARED_CREDENTIALS_FILE: 'x',
      AWS_CONFIG_FILE: 'x',
      AWS_WEB_IDENTITY_TOKEN_FILE: 'x',
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: 'x',
      SSL_CERT_FILE: 'x',
      POSTGRES_PASSWORD_FILE: 'x',
      LOG_FILE: 'x',
    };
    expect(complete(others).unknown).toEqual([]);
    expect(env).toEqual(others);
  });
});
