import type { Logger } from '@baobab/core';
import type { Environment } from '../config.ts';
import type { Host } from './host.ts';
import type { Output } from './output.ts';

/** What every command works with. */
export interface CommandDeps {
  readonly env: Environment;
  readonly host: Host;
  readonly logger: Logger;
  readonly output: Output;
}
