import { createRequire } from 'node:module';
import type { Format } from 'ajv';

const require = createRequire(import.meta.url);
const load = (): typeof import('ajv-formats/dist/formats.js') => require('ajv-formats/dist/formats.js');

/** Asserted formats. Others are refused in schemas. */
export const FORMATS = [
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'json-pointer',
  'relative-json-pointer',
  'time',
  'uri',
  'uri-reference',
  'uuid',
] as const;

/** Length above which text never matches a format, to limit the time of regular expressions. */
const MAX_LENGTH = 2_048;

function testOf(format: Format): (text: string) => boolean {
  if (typeof format === 'function') return (text) => format(text) === true;
  if (format instanceof RegExp) return (text) => format.test(text);
  const inner = typeof format === 'object' && 'validate' in format ? format.validate : undefined;
  if (typeof inner === 'function') return (text) => (inner as (text: string) => unknown)(text) === true;
  if (inner instanceof RegExp) return (text) => inner.test(text);
  throw new Error('a format without a check');
}

/** RFC 3339 requires a `T`, and an offset such as `Z` or `+00:00`. Ajv also accepts a space, and `+0000`. */
const STRICTER: Readonly<Record<string, RegExp>> = {
  'date-time': /^\S{10}T\S+(?:Z|[+-]\d\d:\d\d)$/i,
  time: /(?:Z|[+-]\d\d:\d\d)$/i,
};

export function boundedFormats(): Record<string, (text: string) => boolean> {
  const { fullFormats } = load();
  return Object.fromEntries(
    FORMATS.map((name) => {
      const test = testOf(fullFormats[name]);
      return [name, (text: string) => text.length <= MAX_LENGTH && (STRICTER[name]?.test(text) ?? true) && test(text)];
    }),
  );
}
