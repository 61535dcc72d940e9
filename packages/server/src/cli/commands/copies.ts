import { type Command, InvalidArgumentError } from 'commander';
import { yieldPriority } from '../backup/priority.ts';
import { type DepsOf, printing } from './shared.ts';

const MAX_FACTOR = 1_000;

function factorOf(text: string): number {
  const times = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && times <= MAX_FACTOR) return times;
  throw new InvalidArgumentError(`It must be a number from 0 to ${MAX_FACTOR.toLocaleString('en')}.`);
}

interface BackupOptions {
  readonly to: string;
  readonly force?: boolean;
  readonly throttle?: number;
}

interface TransferOptions {
  readonly from: string;
  readonly to: string;
  readonly blobsFrom?: string;
  readonly blobsTo?: string;
}

// Imported lazily, so that a backup lowers its priority before most of its code is loaded.
export function addCopies(program: Command, depsOf: DepsOf): void {
  printing(program.command('backup'))
    .description('write all data into one archive; the server can keep running')
    .requiredOption('--to <place>', 'a file, s3://bucket/key?endpoint=…, or - for the standard output')
    .option('--force', 'overwrite an existing archive')
    .option(
      '--throttle <factor>',
      'how long to pause, as a multiple of the time worked; 0: never (default: 12 while others use the database, else 0)',
      factorOf,
    )
    .action(async ({ to, force = false, throttle }: BackupOptions, command: Command) => {
      yieldPriority();
      const { backup } = await import('../backup/backup.ts');
      const deps = depsOf(command, to === '-' ? { results: process.stderr } : {});
      await backup(deps, { to, force, ...(throttle === undefined ? {} : { throttle }) });
    });
  printing(program.command('restore'))
    .description('restore an archive into an empty database, atomically')
    .requiredOption('--from <place>', 'a file, s3://bucket/key?endpoint=…, or - for the standard input')
    .action(async (options: { from: string }, command: Command) => {
      const { restore } = await import('../backup/restore.ts');
      await restore(depsOf(command), options);
    });
  printing(program.command('transfer'))
    .description('copy a database into an empty one; after an interruption, run it again to continue')
    .requiredOption('--from <url>', 'as DATABASE_URL; nothing may write to it during the copy')
    .requiredOption('--to <url>', 'as DATABASE_URL')
    .option('--blobs-from <url>', 'as BLOB_URL')
    .option('--blobs-to <url>', 'as BLOB_URL; blobs are not copied when absent')
    .action(async (options: TransferOptions, command: Command) => {
      const { transferDatabase } = await import('../transfer.ts');
      await transferDatabase(depsOf(command), options);
    });
}
