/** Error of a backup, restore or transfer, for operators on the command line. Never part of an HTTP response. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

export const damaged = (detail: string, cause?: unknown) =>
  new ArchiveError(`The archive is damaged, nothing was changed: ${detail}`, { cause });

export const inUse = () =>
  new ArchiveError(
    'The target is in use, nothing was changed: stop the servers and commands that use it, then try again',
  );

export const notEmpty = () =>
  new ArchiveError('The target is not empty: it must contain nothing but the administrator of a first start');
