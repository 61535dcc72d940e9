import type { BackupSize } from '@baobab/core';

/** Progress of a backup. */
interface BackupProgress {
  begun(size: BackupSize): void;
  /** @param entry name of the archive entry */
  added(entry: string, bytes: number): void;
  /** @param total number of rows of all kinds so far */
  rows(total: number): void;
  /** Returns one line with bytes, rows and the remaining time. */
  text(): string;
}

/** Assumed size of a row until some have been written, in bytes. */
const ASSUMED_ROW = 500;
const MS_PER_S = 1_000;
const S_PER_MIN = 60;
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
const STEP = 1_000;

export function sizeText(bytes: number): string {
  const unit = Math.max(0, Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / Math.log10(STEP))));
  const value = bytes / STEP ** unit;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

function timeText(ms: number): string {
  const seconds = Math.ceil(ms / MS_PER_S);
  return seconds < 2 * S_PER_MIN ? `${seconds} s` : `${Math.ceil(seconds / S_PER_MIN)} min`;
}

const number = (value: number) => value.toLocaleString('en');

/** @param now milliseconds of a monotonic clock */
export function createBackupProgress(now: () => number): BackupProgress {
  const start = now();
  let size: BackupSize = { rows: 0, blobs: 0, blobBytes: 0 };
  let bytes = 0;
  let blobBytes = 0;
  let rowBytes = 0;
  let rows = 0;

  function timeLeft(): string {
    const perRow = rows === 0 ? ASSUMED_ROW : rowBytes / rows;
    const left = Math.max(0, size.blobBytes - blobBytes) + Math.max(0, size.rows - rows) * perRow;
    return bytes === 0 ? '' : `, about ${timeText(((now() - start) * left) / bytes)} left`;
  }

  return {
    begun(found) {
      size = found;
    },
    added(entry, count) {
      bytes += count;
      if (entry.startsWith('rows/')) rowBytes += count;
      else if (entry.startsWith('blobs/')) blobBytes += count;
    },
    rows(total) {
      rows = total;
    },
    text: () =>
      `${sizeText(bytes)} and ${number(rows)} of ${number(Math.max(rows, size.rows))} rows written${timeLeft()}`,
  };
}
