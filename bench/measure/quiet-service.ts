import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from './databases.ts';
import { type ServerProcess, startService } from './processes.ts';

export const APP_CODE = 'bench';
export const ADMIN_PASSWORD = 'bench';

/** Headers of the administrator. */
export const ADMIN = {
  'x-service-appcode': APP_CODE,
  authorization: `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`,
} as const;

/** Starts the server without rate limits and log lines of requests. `stop` ends the database too. */
export async function startQuietService(
  database: Database,
  more: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const service = await startService({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    APP_CODE,
    ADMIN_PASSWORD,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
    ...more,
  });
  return {
    ...service,
    async stop() {
      await service.stop();
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
