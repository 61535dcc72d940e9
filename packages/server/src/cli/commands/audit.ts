import type { AuditQuery } from '@baobab/http';
import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

const audit = () => import('../audit.ts');

export function addAudit(program: Command, depsOf: DepsOf): void {
  const command = program.command('audit').description('list audit events, and verify that they are unchanged');
  printing(command.command('list'))
    .description('list audit events, newest first')
    .option('--act <act>', 'only this act, such as user.role_changed')
    .option('--by <name>', 'only by the user with this id or exact name')
    .option('--to <name>', 'only acts that affect this id or exact name')
    .option('--from <date>', 'not before this date, such as 2030-01-31T00:00:00Z')
    .option('--until <date>', 'before this date')
    .option('--recordsPerPage <number>', 'the size of a page')
    .option('--cursor <cursor>', 'continue after the page that printed this cursor')
    .action(async (options: AuditQuery, on: Command) => (await audit()).listAudit(depsOf(on), options));
  printing(command.command('verify'))
    .description('verify the chain of hashes over all audit events')
    .option('--contains <event>', 'an event printed by an earlier run, which must still exist')
    .action(async (options: { contains?: string }, on: Command) => (await audit()).verifyAudit(depsOf(on), options));
}
