import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { createClone } from '../support/clone.ts';
import { until } from '../support/patience.ts';
import { PROGRAM, type Program } from '../support/program.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';
import { type SlowUpload, startUpload } from '../support/slow-upload.ts';
import { addressOn, runInTerminal } from '../support/terminal.ts';

/** Bytes of an upload that is in progress when the program is told to stop. */
const PIECE = 100_000;

const { cleanups, folder, start } = createSetUp();

/** A request that stays in progress until the test finishes it. */
async function beginUpload(address: string): Promise<SlowUpload> {
  const client = createClient(address, SETTINGS.APP_CODE);
  const { data } = await client('POST', '/login', { body: { username: 'admin', password: SETTINGS.ADMIN_PASSWORD } });
  const token: string = data['X-BB-SESSION'];
  const upload = await startUpload(Number(new URL(address).port), {
    size: 2 * PIECE,
    token,
    appCode: SETTINGS.APP_CODE,
  });
  await upload.send(PIECE);
  return upload;
}

async function finish(upload: SlowUpload): Promise<string> {
  await upload.send(PIECE);
  await upload.endFile();
  return upload.finish();
}

const plain = () => ({ command: [PROGRAM], workers: '1' });
const many = () => ({ command: [PROGRAM], workers: '2' });
const byNpm = () => ({ command: createClone(folder()), workers: '1' });
const manyByNpm = () => ({ command: createClone(folder()), workers: '2' });

describe.each([
  ['the program', plain],
  ['several workers', many],
  ['what `npm start` runs', byNpm],
  ['what `npm start` runs, with several workers', manyByNpm],
])('told to stop with its process group, repeatedly: %s', (_name, kind) => {
  async function serving(): Promise<{ program: Program; upload: SlowUpload }> {
    const { command, workers } = kind();
    const program = start({ WORKERS: workers }, { command, detached: true });
    const address = await program.ready();
    if (workers !== '1') await program.line('"msg":"all workers serve"');
    return { program, upload: await beginUpload(address) };
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('%s lets it finish requests in progress and exit with 0', async (signal) => {
    const { program, upload } = await serving();
    program.killGroup(signal);
    await program.line('"msg":"stopping"');
    for (let times = 0; times < 3; times++) {
      program.killGroup(signal);
      await pause(50); // signals that arrive together may be delivered as one
    }
    expect(await finish(upload)).toBe('HTTP/1.1 201 Created');
    expect(await program.exit).toEqual({ code: 0, signal: null });
  });

  it('SIGHUP does not stop it', async () => {
    const { program, upload } = await serving();
    program.killGroup('SIGHUP');
    expect(await finish(upload)).toBe('HTTP/1.1 201 Created');
    program.killGroup('SIGTERM');
    await program.line('"signal":"SIGTERM"');
    expect(await program.exit).toEqual({ code: 0, signal: null });
  });
});

describe.each([
  ['one process', '1'],
  ['several', '2'],
])('told to stop when nobody reads its log any more, %s', (_name, workers) => {
  it('exits', async () => {
    const program = start({ WORKERS: workers });
    const address = await program.ready();
    if (workers !== '1') await program.line('"msg":"all workers serve"');
    program.stopReading();
    await fetch(`${address}/health/ready`);
    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
  });
});

describe.each([
  ['one process', '1'],
  ['several', '2'],
])('in a terminal, %s', (_name, workers) => {
  async function atTerminal() {
    const run = runInTerminal({ ...SETTINGS, DATA_DIR: folder(), WORKERS: workers });
    cleanups.push(run.kill);
    await run.shows('Ctrl-C stops it');
    if (workers !== '1') await run.shows('all workers serve');
    return { ...run, address: addressOn(run.screen()) };
  }
  const CTRL_C = '\x03';

  it('Ctrl-C lets it finish requests in progress', async () => {
    const { address, exit, shows, type } = await atTerminal();
    const upload = await beginUpload(address);
    type(CTRL_C);
    await shows('stopping');
    expect(await finish(upload)).toBe('HTTP/1.1 201 Created');
    expect(await exit).toBe(0);
  });

  it('a second Ctrl-C stops it immediately', async () => {
    const { address, exit, shows, type } = await atTerminal();
    const upload = await beginUpload(address);
    type(CTRL_C);
    await shows('stopping');
    type(CTRL_C);
    expect(await exit).toBe(1);
    upload.abort();
  });

  it('stops when the terminal is closed', async () => {
    const { address, kill } = await atTerminal();
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    kill();
    await until(async () => (await fetch(`${address}/health/live`).catch(() => null)) === null);
  });
});
