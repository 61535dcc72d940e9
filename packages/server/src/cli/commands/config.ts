import type { Command } from 'commander';
import { parseConfig } from '../../config.ts';
import { depsOf, printing } from './shared.ts';

export function addConfig(program: Command): void {
  const config = program.command('config').description('check the configuration');
  printing(config.command('check'))
    .description('check whether the environment is valid')
    .action((_options: object, command: Command) => {
      const { database, blobs, port } = parseConfig(process.env);
      const data = { database: database.kind, blobs: blobs.kind, port };
      depsOf(command).output.result(`The environment is valid: ${JSON.stringify(data)}`, data);
    });
}
