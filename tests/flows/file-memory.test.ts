import { afterEach, describe, expect, inject, it } from 'vitest';
import { compareBig, createBigFile, growthOf, uploadBig } from '../support/big-file.ts';
import { s3Options, s3Url } from '../support/blobs.ts';
import { createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { startProgram } from '../support/program.ts';
import { startUpload } from '../support/slow-upload.ts';

const SETTINGS = { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', SECRET_KEY: 'k'.repeat(32), RATE_LIMIT: 'off' };
const MIB = 1_048_576;
/** More than the memory by which the process may grow, and moved twice. */
const FILE = createBigFile(192 * MIB);
/** Garbage that Node lets gather before it collects buffers, and some reserve. MiB. */
const MAX_GROWTH = 128;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serving(environment: Record<string, string>) {
  const folder = createFolder();
  cleanups.push(folder.remove);
  const program = startProgram({ ...SETTINGS, DATA_DIR: folder.path, ...environment });
  cleanups.push(() => program.dispose());
  const address = await program.ready();
  const client = createClient(address, SETTINGS.APP_CODE);
  const { data } = await client('POST', '/login', { body: { username: 'admin', password: SETTINGS.ADMIN_PASSWORD } });
  const token: string = data['X-BB-SESSION'];
  return { program, address, client, token, headers: { 'x-bb-session': token } };
}

function onS3(): Record<string, string> {
  const { accessKeyId, secretAccessKey } = inject('s3');
  return {
    BLOB_URL: s3Url(s3Options()),
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

describe.each([
  ['a folder', () => ({})],
  ['S3', onS3],
])('a file of 192 MiB, in %s', (_name, environment) => {
  it('is uploaded and downloaded byte for byte, also by a slow reader, in little memory', async () => {
    const { program, address, headers, client, token } = await serving(environment());
    const growth = await growthOf(program.pid, async () => {
      const { id, metadata } = await uploadBig(address, FILE, headers);
      expect(metadata.sha256).toBe(FILE.sha256);
      await compareBig(`${address}/file/${id}`, FILE, headers, 1);
      expect((await client('DELETE', `/file/${id}`, { token })).status).toBe(200);
    });
    expect(growth).toBeLessThan(MAX_GROWTH);
  });
});

it('uploads hold no connection to the database while they are in progress', async () => {
  const database = await createDatabase();
  cleanups.push(database.drop);
  const { address, client, token } = await serving({ DATABASE_URL: database.url, DATABASE_CONNECTIONS: '1' });
  const port = Number(new URL(address).port);
  const uploads = await Promise.all(
    Array.from({ length: 5 }, () => startUpload(port, { size: MIB, token, appCode: SETTINGS.APP_CODE })),
  );
  for (const upload of uploads) await upload.send(MIB / 2);
  for (let at = 0; at < 10; at++) expect((await client('GET', '/file/details', { token })).status).toBe(200);
  for (const upload of uploads) {
    await upload.send(MIB / 2);
    await upload.endFile();
    expect(await upload.finish()).toBe('HTTP/1.1 201 Created');
  }
});
