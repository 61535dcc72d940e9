import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('../../tests/support/s3-process.ts', import.meta.url));
export const BUCKET = 'prove';

/** Starts the S3 test server in a separate process, with its objects in a folder. */
export async function startS3(folder: string): Promise<{ readonly port: number; stop(): void }> {
  const child = spawn(process.execPath, [PROCESS, BUCKET, folder], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (text) => resolve(Number(text)));
    child.once('exit', () => reject(new Error('the S3 server ended')));
  });
  return { port, stop: () => child.disconnect() };
}
