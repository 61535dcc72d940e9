import { describe, expect, it } from 'vitest';
import { createBackupProgress, sizeText } from '../../packages/server/src/cli/backup/progress.ts';

describe('the progress of a backup', () => {
  it('shows bytes, rows and the time left', () => {
    let now = 0;
    const progress = createBackupProgress(() => now);
    expect(progress.text()).toBe('0 bytes and 0 of 0 rows written');
    progress.begun({ rows: 1_000, blobs: 2, blobBytes: 600_000 });
    now = 10_000;
    progress.added('manifest.json', 0);
    progress.added('blobs/files/a/original', 300_000);
    // 300 kB of blobs and, by assumption, 500 kB of rows are left: 800 kB at 30 kB/s
    expect(progress.text()).toBe('300 kB and 0 of 1,000 rows written, about 27 s left');
    progress.added('blobs/files/b/original', 300_000);
    now = 20_000;
    progress.added('rows/documents/000001.ndjson', 100_000);
    progress.rows(500);
    // 500 rows of 200 bytes are left: 100 kB at 35 kB/s
    expect(progress.text()).toBe('700 kB and 500 of 1,000 rows written, about 3 s left');
    progress.added('rows/documents/000002.ndjson', 140_000);
    progress.rows(1_200);
    expect(progress.text()).toBe('840 kB and 1,200 of 1,200 rows written, about 0 s left');
  });

  it('shows long times in minutes', () => {
    let now = 0;
    const progress = createBackupProgress(() => now);
    progress.begun({ rows: 0, blobs: 1, blobBytes: 1_000_000_000 });
    now = 60_000;
    progress.added('blobs/files/a/original', 100_000_000);
    expect(progress.text()).toBe('100 MB and 0 of 0 rows written, about 9 min left');
  });

  it('writes sizes for people', () => {
    const sizes = [0, 999, 1_000, 12_345, 999_499, 60_000_000, 1_500_000_000, 3e15];
    expect(sizes.map(sizeText)).toEqual([
      '0 bytes',
      '999 bytes',
      '1.0 kB',
      '12.3 kB',
      '999 kB',
      '60.0 MB',
      '1.5 GB',
      '3000 TB',
    ]);
  });
});
