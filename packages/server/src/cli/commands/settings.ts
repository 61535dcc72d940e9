import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

const settings = () => import('../settings.ts');

export function addSettings(program: Command, depsOf: DepsOf): void {
  const group = program.command('settings').description('read and change settings');
  printing(group.command('get [section] [key]'))
    .description('show all settings, the settings of a section, or one value')
    .action(async (section: string | undefined, key: string | undefined, _options: object, command: Command) =>
      (await settings()).getSettings(depsOf(command), section, key),
    );
  printing(group.command('set <section> <key> [value]'))
    .description('change a setting; without a value, it is read from standard input')
    .action(async (section: string, key: string, value: string | undefined, _options: object, command: Command) =>
      (await settings()).setSetting(depsOf(command), { section, key, value }),
    );
}
