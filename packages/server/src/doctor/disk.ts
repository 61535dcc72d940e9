import { dataFolders } from '../data-folders.ts';
import { type CheckContext, type Finding, fault, ok, skipped } from './check.ts';
import { checkWritable, existingAbove } from './folders.ts';

/** Minimum free space regardless of the disk size, in bytes. */
const LEAST = 1_000_000_000;
/** Minimum free share of the disk, unless `PLENTY` bytes are free. */
const LEAST_SHARE = 0.05;
const PLENTY = 20_000_000_000;
const GB = 1_000_000_000;

const gigabytes = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;

/** Checks that the folders are writable and have enough space. */
export async function checkDisk({
  config,
  surroundings,
}: Pick<CheckContext, 'config' | 'surroundings'>): Promise<Finding[]> {
  const folders = dataFolders(config);
  if (folders.length === 0) return [skipped('No data is stored on a local disk')];
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const folder of folders) {
    const existing = await existingAbove(folder.path);
    if (seen.has(existing)) continue;
    seen.add(existing);
    const unwritable = await checkWritable(folder);
    if (unwritable !== null) {
      findings.push(unwritable);
      continue;
    }
    const { free, size } = await surroundings.roomOf(existing);
    const isLow = free < LEAST || (free < LEAST_SHARE * size && free < PLENTY);
    const text = `${existing} has ${gigabytes(free)} free of ${gigabytes(size)}`;
    findings.push(isLow ? fault(text, 'Free disk space, or move the data to a larger disk') : ok(text));
  }
  return findings;
}
