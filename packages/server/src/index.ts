export { createApp, type ProgramAppOptions } from './app.ts';
export { type AdapterOptions, adapters } from './composition/adapters.ts';
export { type Backend, compose } from './composition/compose.ts';
export { type Config, ConfigError, parseConfig, VARIABLES } from './config.ts';
