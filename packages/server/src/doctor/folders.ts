import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DataFolder } from '../data-folders.ts';
import { causeText, codeOf, type Finding, fault } from './check.ts';

/** Returns the folder itself, or its nearest existing ancestor. */
export async function existingAbove(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found !== null || dirname(path) === path ? path : existingAbove(dirname(path));
}

/**
 * Returns a finding if a folder is not writable, else null. It tries to write, because permissions are not conclusive:
 * root ignores them, and the disk may be read-only.
 */
export async function checkWritable({ path, variable }: DataFolder): Promise<Finding | null> {
  const existing = await existingAbove(path);
  const found = await stat(existing).catch(() => null);
  if (found !== null && !found.isDirectory()) {
    return fault(
      `${existing} is a file, but ${variable} needs a folder there`,
      `Move the file away, or set ${variable} to another place`,
    );
  }
  const probe = join(existing, `.baobab-doctor-${randomUUID()}`);
  try {
    if (existing === path) await writeFile(probe, '', { flag: 'wx', mode: 0o600 });
    else await mkdir(probe, { mode: 0o700 });
    return null;
  } catch (error) {
    return fault(
      `Nothing can be written into ${existing}, which ${variable} names (${codeOf(error) || causeText(error)})`,
      `Make the user of the server the owner of the folder ("chown"), or in containers with arbitrary user ids their group ("chgrp 0" and "chmod g=u"); or set ${variable} to another place`,
    );
  } finally {
    await rm(probe, { recursive: true, force: true }).catch(() => undefined);
  }
}
