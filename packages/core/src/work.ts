import { AppError } from './errors.ts';

/** Maximum number of characters of stored documents that the changes of a batch read. */
const MAX_READ = 16 * 1024 * 1024;

/**
 * Number of characters that the changes of a batch may still read: for each change the length of its document, as many
 * times as its operators read it. Without this limit, a small batch could cause work in proportion to large documents a
 * hundred times.
 */
export interface WorkAllowance {
  /**
   * To be called before the work of each change. The first call always succeeds, whatever the size of the document.
   *
   * @throws `batch.work_too_large`
   */
  spend(characters: number): void;
}

export function createWorkAllowance(): WorkAllowance {
  let spent = 0;
  return {
    spend(characters) {
      if (spent > 0 && spent + characters > MAX_READ) throw new AppError('batch.work_too_large');
      spent += characters;
    },
  };
}
