import { oneLine, type SettingGroup, setting } from '@baobab/core';
import type { SettingDeclaration } from './types.ts';

type SettingRecord = SettingGroup['settings'];

const NAME = /^[a-z]\w{0,63}(?:\.[a-z]\w{0,63}){0,3}$/i;
const OPTIONS: ReadonlySet<string> = new Set([
  'default',
  'description',
  'isProtected',
  'lines',
  'min',
  'max',
  'secret',
]);
/** Integers of more digits are not accepted. */
const MAX_INTEGER = 999_999_999_999_999;

/** Prefix of the keys of an extension's settings: `extension.hello.`. */
const prefixOf = (extension: string) => `extension.${extension.replace(/[^\w-]+/g, '-')}.`;

/** Settings are protected unless their extension decides otherwise: types are not checked in JavaScript. */
const declare = (isProtected: unknown) => (isProtected === false ? setting.unprotected : setting.protected);

type IntegerDeclaration = Extract<SettingDeclaration, { readonly default: number }>;

function defineInteger({
  default: initial,
  description,
  min = -MAX_INTEGER,
  max = MAX_INTEGER,
  isProtected,
}: IntegerDeclaration): SettingRecord[string] {
  if (![initial, min, max].every(Number.isSafeInteger) || initial < min || initial > max) {
    throw new Error('the default is a whole number between "min" and "max"');
  }
  return declare(isProtected).integer(initial, description, min, max);
}

/** Creates the definition of a setting. @throws `Error` */
function define(declared: SettingDeclaration): SettingRecord[string] {
  const { description } = declared;
  if (typeof description !== 'string' || description === '') throw new Error('a description is required');
  const unknown = Object.keys(declared).find((option) => !OPTIONS.has(option));
  if (unknown !== undefined) throw new Error(`there is no option "${unknown}"`);
  if ('secret' in declared) return setting.protected.secret(description);
  const { isProtected } = declared;
  if (typeof declared.default === 'boolean') return declare(isProtected).boolean(declared.default, description);
  if (typeof declared.default === 'string') {
    if ('lines' in declared && declared.lines === true) return declare(isProtected).text(declared.default, description);
    if (/[\r\n]/.test(declared.default)) throw new Error('a default with several lines needs "lines: true"');
    return declare(isProtected).string(declared.default, description, oneLine);
  }
  if (typeof declared.default === 'number') return defineInteger(declared);
  throw new Error('the default is a text, a whole number or a boolean; a secret has "secret: true" instead');
}

/** Returns the settings of an extension by their keys, with the name by which it reads each. @throws `Error` */
export function defineExtensionSettings(
  extension: string,
  declared: Readonly<Record<string, SettingDeclaration>>,
): { readonly settings: SettingRecord; readonly keys: ReadonlyMap<string, string> } {
  const settings: Record<string, SettingRecord[string]> = {};
  const keys = new Map<string, string>();
  for (const [name, declaration] of Object.entries(declared)) {
    try {
      if (!NAME.test(name)) throw new Error('a name is words of letters and digits, separated by dots');
      const key = prefixOf(extension) + name;
      settings[key] = define(declaration);
      keys.set(name, key);
    } catch (error) {
      throw new Error(`setting "${name}": ${(error as Error).message}`, { cause: error });
    }
  }
  return { settings, keys };
}
