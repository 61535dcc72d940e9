import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createFolder } from './databases.ts';
import { PATIENCE_MS } from './patience.ts';

/** Access to an S3 server. */
export interface S3Place {
  /** `BLOB_URL` without a prefix. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Returns the server specified by `TEST_S3_URL` and the AWS variables, or null. */
function given(): S3Place | null {
  const { TEST_S3_URL: url, AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '' } = process.env;
  return url === undefined || url === '' ? null : { url, accessKeyId: id, secretAccessKey: secret };
}

/**
 * Starts an S3 server in a separate process, unless the environment specifies one. In memory it can store objects
 * larger than its limit for reads from a file.
 */
export async function startS3({ inMemory = false } = {}): Promise<{ readonly place: S3Place; stop(): Promise<void> }> {
  const place = given();
  return place === null ? startOwnS3({ inMemory }) : { place, stop: async () => undefined };
}

/** Starts a separate server for the test, regardless of the environment. It can be made to hang. */
export async function startOwnS3({ inMemory = false } = {}) {
  const folder = createFolder();
  const bucket = `baobab-${randomBytes(4).toString('hex')}`;
  const program = join(import.meta.dirname, 's3-process.ts');
  const child = spawn(process.execPath, [program, bucket, ...(inMemory ? [] : [folder.path])], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const port = await new Promise<string>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('the S3 server did not start')), PATIENCE_MS);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the S3 server exited with ${code}`)));
    child.stdout?.once('data', (line: Buffer) => {
      clearTimeout(limit);
      resolve(line.toString().trim());
    });
  });
  return {
    place: {
      url: `s3://${bucket}?endpoint=http://127.0.0.1:${port}`,
      accessKeyId: 'test',
      secretAccessKey: 'not a secret',
    },
    hang(): void {
      child.kill('SIGSTOP');
    },
    goOn(): void {
      child.kill('SIGCONT');
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      folder.remove();
    },
  };
}
