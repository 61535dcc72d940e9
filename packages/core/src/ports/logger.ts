/**
 * The log. `error`: an operator must act; `warn`: degraded, recovers automatically; `info`: life cycle; `debug`:
 * development. Details go into `bindings` (an error under `err`); `message` is a constant.
 */
export interface Logger {
  debug(bindings: object, message: string): void;
  info(bindings: object, message: string): void;
  warn(bindings: object, message: string): void;
  error(bindings: object, message: string): void;
}
