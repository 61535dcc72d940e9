import { type Actor, requireAdmin } from '../actor.ts';
import { checkManifestOf } from '../archives/backup.ts';
import { ArchiveError } from '../archives/errors.ts';
import type { Audit } from '../audit/audit.ts';
import { blobKey } from '../blobs/keys.ts';
import { AppError } from '../errors.ts';
import type { Schedule } from '../hooks/schedules.ts';
import type { BackupArchives, Restarts, RestoreOutcome } from '../ports/backups.ts';
import type { BlobContent, Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { latestEnd } from '../time/waits.ts';
import { backupName, createStoredBackups, type StoredBackup } from './stored.ts';

const HOUR = 3_600_000;
/** A backup counts as due this long before its interval ends, because runs do not begin on the second. Milliseconds. */
const EARLY = 5 * 60_000;

/** Places that backups are written to and restored from. */
export interface BackupPlaces {
  /** Null if the database has no archives. */
  readonly archives: BackupArchives | null;
  /** Store of `BACKUP_URL`; null without it. */
  readonly store: Blobs | null;
  /** Null if the server cannot restart on other data. */
  readonly restarts: Restarts | null;
}

export interface BackupsDeps {
  readonly backupPlaces: BackupPlaces;
  readonly blobs: Blobs;
  readonly storage: Storage;
  readonly settings: SettingsReader;
  readonly freshLogin: FreshLogin;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface BackupState {
  readonly isSupported: boolean;
  /** True if this server can restore an archive now: it has no data yet. */
  readonly isRestorable: boolean;
  readonly isRunning: boolean;
  /** Archives at `BACKUP_URL`, newest first; null without it. */
  readonly stored: readonly StoredBackup[] | null;
  /** Time of the next scheduled backup, in milliseconds; null without one. */
  readonly next: number | null;
  /** Failure of the last backup of this process; null if it succeeded. */
  readonly error: string | null;
  readonly restored: RestoreOutcome | null;
}

/** State of scheduled backups. */
export interface BackupHealth {
  /** Age of the newest archive, in milliseconds; null if there is none. */
  readonly age: number | null;
  /** In milliseconds; 0 if the schedule is off. */
  readonly interval: number;
  /** As in `BackupState`. */
  readonly error: string | null;
}

export type Backups = ReturnType<typeof createBackups>;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Backups of a running server, for administrators. */
export function createBackups(deps: BackupsDeps) {
  const { backupPlaces, blobs, storage, settings, freshLogin, audit, secrets, clock, logger } = deps;
  const { archives, store, restarts } = backupPlaces;
  const stored = store === null ? null : createStoredBackups(store);
  let running: Promise<void> | null = null;
  let failure: string | null = null;
  let isRestoring = false;

  function supported(): BackupArchives {
    if (archives === null) throw new AppError('backup.unsupported', { detail: 'the database is memory:' });
    return archives;
  }

  function configured() {
    if (stored === null) throw new AppError('backup.unconfigured');
    return stored;
  }

  async function write(): Promise<void> {
    const { 'backup.keep': kept } = await settings.current();
    try {
      await configured().put(backupName(clock.now()), supported().create(), kept);
      failure = null;
    } catch (err) {
      failure = messageOf(err);
      logger.error({ err }, 'backup failed');
    }
  }

  /** Begins a backup, unless one is running. Resolves at its end and never rejects. */
  function begin(): Promise<void> {
    running ??= write().finally(() => {
      running = null;
    });
    return running;
  }

  /** Returns the newest archive, except those stored while the clock was fast. */
  const newestOf = (list: readonly StoredBackup[]) => list.find(({ created }) => created <= latestEnd(clock.now(), 0));

  /** Returns the time of the next scheduled backup; null without one. */
  async function nextTime(list: readonly StoredBackup[]): Promise<number | null> {
    const { 'backup.interval.hours': hours } = await settings.current();
    if (hours === 0) return null;
    const latest = newestOf(list);
    return Math.max(clock.now(), latest === undefined ? 0 : latest.created + hours * HOUR);
  }

  async function isFresh(): Promise<boolean> {
    return archives !== null && restarts !== null && (await archives.isEmpty());
  }

  async function requireFresh(actor: Actor): Promise<void> {
    requireAdmin(actor);
    supported();
    if (restarts === null) {
      throw new AppError('backup.unsupported', {
        detail: 'only a single process with stored files can restore an archive',
      });
    }
    if (isRestoring) throw new AppError('backup.busy');
    if (!(await isFresh())) throw new AppError('backup.not_empty');
  }

  /** Verifies an archive before anything is changed. */
  async function verify(key: string): Promise<void> {
    const open = async () => {
      const content = await blobs.get(key);
      if (content === null) throw new AppError('blobs.unavailable');
      return content.bytes;
    };
    try {
      await supported().verify(open);
      await checkManifestOf(supported().read(open));
    } catch (cause) {
      if (!(cause instanceof ArchiveError || cause instanceof SyntaxError)) throw cause;
      throw new AppError('backup.invalid', { detail: cause.message, cause });
    }
  }

  return {
    /** @throws `auth.required`, `admin.required`, `storage.unavailable`, `blobs.unavailable` */
    async state(actor: Actor): Promise<BackupState> {
      requireAdmin(actor);
      const list = stored === null ? null : await stored.list();
      return {
        isSupported: archives !== null,
        isRestorable: await isFresh(),
        isRunning: running !== null,
        stored: list,
        next: list === null ? null : await nextTime(list),
        error: failure,
        restored: restarts?.last ?? null,
      };
    },

    /** Null without `BACKUP_URL`. @throws `auth.required`, `admin.required`, `storage.unavailable`, `blobs.unavailable` */
    async health(actor: Actor): Promise<BackupHealth | null> {
      requireAdmin(actor);
      if (stored === null) return null;
      const { 'backup.interval.hours': hours } = await settings.current();
      const newest = newestOf(await stored.list());
      return {
        age: newest === undefined ? null : clock.now() - newest.created,
        interval: hours * HOUR,
        error: failure,
      };
    },

    /**
     * Returns the bytes of a new archive. It contains password hashes, hence the fresh login.
     *
     * @throws `auth.required`, `admin.required`, the errors of `FreshLogin.ensure`, `backup.unsupported`
     */
    async download(actor: Actor, presence: Presence): Promise<AsyncIterable<Uint8Array>> {
      requireAdmin(actor);
      await freshLogin.ensure(actor, presence);
      const bytes = supported().create();
      await audit.transaction(storage.transaction, async (_stores, record) => record(actor, 'backup.downloaded'));
      return bytes;
    },

    /**
     * Opens a stored archive.
     *
     * @throws `auth.required`, `admin.required`, the errors of `FreshLogin.ensure`, `backup.unconfigured`,
     * `backup.not_found`, `blobs.unavailable`
     */
    async open(actor: Actor, name: string, presence: Presence): Promise<BlobContent> {
      requireAdmin(actor);
      await freshLogin.ensure(actor, presence);
      const content = await configured().open(name);
      await audit.transaction(storage.transaction, async (_stores, record) => record(actor, 'backup.downloaded'));
      return content;
    },

    /** Begins a backup to `BACKUP_URL`. @throws `auth.required`, `admin.required`, `backup.unconfigured`, `backup.busy` */
    async begin(actor: Actor): Promise<void> {
      requireAdmin(actor);
      supported();
      configured();
      if (running !== null) throw new AppError('backup.busy');
      void begin();
    },

    /** @throws `auth.required`, `admin.required`, `backup.unconfigured`, `backup.not_found`, `blobs.unavailable` */
    async remove(actor: Actor, name: string): Promise<void> {
      requireAdmin(actor);
      await configured().remove(name);
      await audit.transaction(storage.transaction, async (_stores, record) => record(actor, 'backup.removed'));
    },

    /**
     * Refuses a restore before its upload.
     *
     * @throws `auth.required`, `admin.required`, `backup.unsupported`, `backup.busy`, `backup.not_empty`
     */
    requireFresh,

    /**
     * Stores an uploaded archive as a blob and verifies it. Then the server stops serving, restores it and starts
     * again, after this has resolved. A refused archive changes nothing.
     *
     * @throws as `requireFresh`, `backup.invalid`, `blobs.unavailable`, errors of `bytes`
     */
    async restore(actor: Actor, bytes: AsyncIterable<Uint8Array>): Promise<void> {
      await requireFresh(actor);
      isRestoring = true;
      const key = blobKey('restores', secrets.uuid(clock.now()));
      try {
        await blobs.put(key, bytes);
        await verify(key);
        // Something may have been created during the upload.
        if (!(await isFresh())) throw new AppError('backup.not_empty');
        restarts?.restore(key);
      } catch (error) {
        isRestoring = false;
        await blobs.remove(key).catch(() => false);
        throw error;
      }
    },

    /** The schedule of backups; null without `BACKUP_URL`. It looks every hour if the latest backup is old enough. */
    schedule(): Schedule | null {
      if (stored === null || archives === null) return null;
      return {
        name: 'backup',
        times: 'hourly',
        next: (time) => (Math.floor(time / HOUR) + 1) * HOUR,
        last: (time) => Math.floor(time / HOUR) * HOUR,
        async run() {
          const next = await nextTime(await stored.list());
          if (next !== null && next - EARLY <= clock.now()) await begin();
          return true;
        },
      };
    },

    /** Ends a backup in progress. */
    async stop(): Promise<void> {
      archives?.stop();
      await running;
    },
  };
}
