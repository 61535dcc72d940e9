import type { Command } from 'commander';
import { parseConfig } from '../../config.ts';
import type { EnvironmentReport } from '../../environment.ts';
import { shownEnvironment } from '../../shown-environment.ts';
import { visible } from '../table.ts';
import { type DepsOf, printing } from './shared.ts';

export function addConfig(program: Command, depsOf: DepsOf, environment: () => EnvironmentReport): void {
  const config = program.command('config').description('check the configuration');
  printing(config.command('check'))
    .description('validate the configuration, and show the source of each value')
    .action((_options: object, command: Command) => {
      const { env, output } = depsOf(command);
      const { database, blobs, port } = parseConfig(env);
      const { file, sources } = environment();
      const summary = { database: database.kind, blobs: blobs.kind, port };
      const variables = shownEnvironment(env).map(({ name, value }) => ({
        name,
        value,
        source: sources.get(name) ?? 'default',
      }));
      const set = variables.filter(({ source }) => source !== 'default');
      const lines = [
        `The environment${file === null ? '' : ' with the file .env'} is valid: ${JSON.stringify(summary)}`,
        ...set.map(({ name, value, source }) => `${name}=${visible(value)} (${source})`),
        `${set.length === 0 ? 'All' : 'All other'} variables have their defaults.`,
      ];
      output.result(lines.join('\n'), { ...summary, variables });
    });
}
