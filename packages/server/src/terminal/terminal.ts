import { prettyFactory } from 'pino-pretty';
import type { Environment } from '../config.ts';

/** Shows the program to a person at a terminal. */
export interface Terminal {
  /** Whether it may use colors. */
  readonly colors: boolean;
  /** Turns a line of the log into text for people. */
  format(line: string): string;
}

/** Control characters, which could move the cursor or recolor the terminal. Line breaks and tabs may stay. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

const escaped = (text: string) =>
  text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const visible = (_key: string, value: unknown) => (typeof value === 'string' ? escaped(value) : value);

/** The message with the request that it is about, if any: `GET /me 200 1.2 ms`. */
function messageOf(line: Record<string, unknown>): string {
  const { msg, method, path, status, ms } = line;
  const time = typeof ms === 'number' ? `${ms} ms` : '';
  const parts = method === undefined ? [msg, time] : [msg === 'request' ? '' : msg, method, path, status, time];
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

/** Colors are used unless the environment says that it does not want them (no-color.org) or the terminal has none. */
export function allowsColors({ NO_COLOR = '', TERM }: Environment): boolean {
  return NO_COLOR === '' && TERM !== 'dumb';
}

export function createTerminal(env: Environment): Terminal {
  const colors = allowsColors(env);
  const pretty = prettyFactory({
    colorize: colors,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    // What the message already says.
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
