import type { Logger } from '@baobab/core';
import type { Environment } from '../config.ts';
import type { Host } from './host.ts';
import type { Output } from './output.ts';

/** Dependencies of all commands. */
export interface CommandDeps {
  readonly env: Environment;
  readonly host: Host;
  readonly logger: Logger;
  readonly output: Output;
}
