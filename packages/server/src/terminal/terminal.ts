import { prettyFactory } from 'pino-pretty';
import type { Environment } from '../config.ts';

/** Output for a person at a terminal. */
export interface Terminal {
  /** True if colors are allowed. */
  readonly colors: boolean;
  /** Formats a log line for people. */
  format(line: string): string;
}

/** Control characters, which could move the cursor or recolor the terminal. Line breaks and tabs are allowed. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

const escaped = (text: string) =>
  text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const visible = (_key: string, value: unknown) => (typeof value === 'string' ? escaped(value) : value);

/** Returns the message with its request, if any: `GET /me 200 1.2 ms`. */
function messageOf(line: Record<string, unknown>): string {
  const { msg, method, path, status, ms } = line;
  const time = typeof ms === 'number' ? `${ms} ms` : '';
  const parts = method === undefined ? [msg, time] : [msg === 'request' ? '' : msg, method, path, status, time];
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

/** True unless the environment disables colors (no-color.org) or the terminal has none. */
export function allowsColors({ NO_COLOR = '', TERM }: Environment): boolean {
  return NO_COLOR === '' && TERM !== 'dumb';
}

export function createTerminal(env: Environment): Terminal {
  const colors = allowsColors(env);
  const pretty = prettyFactory({
    colorize: colors,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    // Already in the message.
    ignore: 'pid,hostname,reqId,method,path,status,ms',
    messageFormat: messageOf,
  });
  return {
    colors,
    format(line) {
      try {
        return pretty(JSON.parse(line, visible));
      } catch {
        return `${escaped(line)}\n`;
      }
    },
  };
}
