import type { Command } from 'commander';
import { parseConfig } from '../../config.ts';
import type { EnvironmentReport } from '../../environment.ts';
import { type DepsOf, printing } from './shared.ts';

export function addConfig(program: Command, depsOf: DepsOf, environment: () => EnvironmentReport): void {
  const config = program.command('config').description('check the configuration');
  printing(config.command('check'))
    .description('check whether the environment is valid')
    .action((_options: object, command: Command) => {
      const { env, output } = depsOf(command);
      const { database, blobs, port } = parseConfig(env);
      const data = { database: database.kind, blobs: blobs.kind, port };
      const source = environment().file === null ? '' : ' with the file .env';
      output.result(`The environment${source} is valid: ${JSON.stringify(data)}`, data);
    });
}
