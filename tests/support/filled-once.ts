import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns a folder that `fill` has filled, now or in an earlier run. It appears when it is complete, because other
 * processes may fill the same one.
 */
export function filledOnce(name: string, fill: (folder: string) => void): string {
  const folder = join(tmpdir(), `baobab-${name}`);
  if (existsSync(folder)) return folder;
  const draft = mkdtempSync(`${folder}-`);
  try {
    fill(draft);
    chmodSync(draft, 0o755);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    // Renaming fails if another process was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
