// Measures uploads and downloads of a large file, in a folder and on S3: speed relative to Node's own pipes over the
// same disk, and memory. `--write` saves the results to FILES.md; `--size=` (MiB) and `--rounds=` shorten a run.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BigFile, compareBig, createBigFile, growthOf, sendPieces, uploadBig } from '../tests/support/big-file.ts';
import { startS3 } from '../tests/support/s3-server.ts';
import { startProcess, startService } from './measure/processes.ts';

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    size: { type: 'string', default: '2048' },
    rounds: { type: 'string', default: '3' },
  },
});
const MIB = 1_048_576;
const SIZE = Number(options.size) * MIB;
const ROUNDS = Number(options.rounds);
const GOALS = { ratio: 0.8, growth: 50 } as const;
const APP_CODE = 'bench';

interface Way {
  /** Throughput of the best round, in MiB per second. */
  readonly up: number;
  readonly down: number;
  /** Growth of resident memory in each round, in MiB. */
  readonly growth: readonly number[];
}

const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

async function rate(size: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return size / MIB / ((performance.now() - began) / 1000);
}

async function measurePipe(file: BigFile, folder: string): Promise<Way> {
  const program = fileURLToPath(new URL('bare/pipe.ts', import.meta.url));
  const server = await startProcess([process.execPath, program], { FOLDER: folder }, '/ready');
  const headers = { 'content-length': file.size };
  let [up, down] = [0, 0];
  const growth: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const put = () => sendPieces(server.url, { method: 'PUT', headers, pieces: file.pieces() });
      const grown = await growthOf(server.pid, async () => {
        up = Math.max(up, await rate(file.size, put));
        down = Math.max(down, await rate(file.size, () => compareBig(server.url, file)));
      });
      growth.push(grown);
    }
  } finally {
    await server.stop();
  }
  return { up, down, growth };
}

async function login(address: string, password: string): Promise<Record<string, string>> {
  const response = await fetch(`${address}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-appcode': APP_CODE },
    body: JSON.stringify({ username: 'admin', password }),
  });
  const { data } = (await response.json()) as { data: Record<string, string> };
  return { 'x-bb-session': data['X-BB-SESSION'] ?? '' };
}

async function measureService(file: BigFile, variables: Record<string, string>): Promise<Way> {
  const password = randomBytes(9).toString('base64url');
  const server = await startService({
    ...variables,
    SECRET_KEY: randomBytes(32).toString('base64url'),
    APP_CODE,
    ADMIN_PASSWORD: password,
    MAX_FILE_BYTES: String(file.size),
  });
  let [up, down] = [0, 0];
  try {
    const headers = await login(server.url, password);
    const warmUp = createBigFile(8 * MIB);
    const warm = await uploadBig(server.url, warmUp, headers);
    await compareBig(`${server.url}/file/${warm.id}`, warmUp, headers);
    const growth: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const grown = await growthOf(server.pid, async () => {
        let id = '';
        const store = async () => {
          const stored = await uploadBig(server.url, file, headers);
          if (stored.metadata.sha256 !== file.sha256) throw new Error('the stored bytes differ from the sent ones');
          ({ id } = stored);
        };
        up = Math.max(up, await rate(file.size, store));
        down = Math.max(down, await rate(file.size, () => compareBig(`${server.url}/file/${id}`, file, headers)));
        await fetch(`${server.url}/file/${id}`, { method: 'DELETE', headers });
      });
      growth.push(grown);
    }
    return { up, down, growth };
  } finally {
    await server.stop();
  }
}

function report(size: number, pipe: Way, folder: Way, s3: Way): string {
  const row = (name: string, { up, down, growth }: Way) => {
    const ratio = (own: number, of: number) => `${own.toFixed(0)} (${(own / of).toFixed(2)})`;
    return `| ${name} | ${ratio(up, pipe.up)} | ${ratio(down, pipe.down)} | ${growth.map((grown) => grown.toFixed(0)).join(', ')} |`;
  };
  const verdict = (name: string, isHeld: boolean) => `- ${name}: ${isHeld ? 'held' : 'missed'}`;
  const grown = (of: (way: Way) => readonly number[]) => Math.max(...of(folder), ...of(s3)) <= GOALS.growth;
  const verdicts = [
    verdict('Up into a folder', folder.up >= GOALS.ratio * pipe.up),
    verdict('Down from a folder', folder.down >= GOALS.ratio * pipe.down),
    verdict(
      'Memory, from the start of the process',
      grown(({ growth }) => growth),
    ),
    verdict(
      'Memory, after the first file',
      grown(({ growth }) => growth.slice(1)),
    ),
  ];
  const cpu = cpus()[0]?.model ?? 'unknown';
  return `# Large files

One file of ${size / MIB} MiB up and down over HTTP; every byte is compared. Figures are the best of ${ROUNDS} rounds. In brackets the
share of the speed of two plain Node pipes over the same disk (a request into a file with fsync; a file into a
response). The load generator runs on the same machine: ${cpus().length} × ${cpu}, Node ${process.versions.node}. Goals:
${GOALS.ratio} of the pipe in a folder, at most ${GOALS.growth} MiB more memory. Memory is shown for each round: the first begins with a
process that has just started and still has to load and compile its code.

| | Up, MiB/s | Down, MiB/s | Memory grew by, MiB |
| --- | --- | --- | --- |
${[row('Plain Node pipes', pipe), row('In a folder', folder), row('On S3 (a test server on this machine)', s3)].join('\n')}

${verdicts.join('\n')}

\`npm run bench -- files --write\` generates this file.
`;
}

const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
try {
  progress('creating the file');
  const file = createBigFile(SIZE);
  progress('plain Node pipes');
  const pipe = await measurePipe(file, folder);
  rmSync(join(folder, 'pipe.bin'), { force: true });
  progress('in a folder');
  const inFolder = await measureService(file, { DATA_DIR: folder });
  progress('on S3');
  const s3 = await startS3({ inMemory: true });
  const onS3 = await measureService(file, {
    DATA_DIR: mkdtempSync(join(folder, 's3-')),
    BLOB_URL: s3.place.url,
    AWS_ACCESS_KEY_ID: s3.place.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.place.secretAccessKey,
  }).finally(() => s3.stop());
  const text = report(SIZE, pipe, inFolder, onS3);
  process.stdout.write(`\n${text}`);
  if (options.write) writeFileSync(new URL('FILES.md', import.meta.url), text);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
