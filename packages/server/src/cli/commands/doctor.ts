import type { Command } from 'commander';
import type { CheckedFinding } from '../../doctor/doctor.ts';
import type { EnvironmentReport } from '../../environment.ts';
import { type DepsOf, printing } from './shared.ts';

const WORDS: Readonly<Record<CheckedFinding['state'], string>> = { ok: 'ok', fault: 'FAULT', skipped: '-' };

const lineOf = ({ state, check, text, remedy }: CheckedFinding) =>
  `${WORDS[state].padEnd(5)}  ${check.padEnd(13)}  ${text}${remedy === null ? '' : `. Fix: ${remedy}`}`;

export function addDoctor(program: Command, depsOf: DepsOf, environment: () => EnvironmentReport): void {
  printing(program.command('doctor'))
    .description('check configuration, database, blobs, clock, mail, disk and exposure, and suggest fixes')
    .action(async (_options: object, command: Command) => {
      const { examine } = await import('../../doctor/doctor.ts');
      const { env, host, logger, output } = depsOf(command);
      const checks = await examine({ env, unknown: environment().unknown, logger });
      const faults = checks.filter(({ state }) => state === 'fault').length;
      const summary = faults === 0 ? 'No faults' : `${faults} ${faults === 1 ? 'fault' : 'faults'}`;
      output.result([...checks.map(lineOf), summary].join('\n'), { ok: faults === 0, checks });
      if (faults > 0) host.exitCode = 1;
    });
}
