import { CATALOGUE, type Definition, type SectionKey, type SettingType } from './catalogue.ts';

/** All settings by key, whatever their section: no two sections share one. */
type Definitions = {
  [Key in AllKeys]: Extract<(typeof CATALOGUE)[SectionKey]['settings'], Readonly<Record<Key, unknown>>>[Key];
};
type KeysOf<T> = T extends unknown ? keyof T : never;
type AllKeys = KeysOf<(typeof CATALOGUE)[SectionKey]['settings']>;

export type SettingKey = AllKeys & string;

type ValueOf<T> = T extends { readonly initial: infer Value }
  ? Value extends boolean
    ? boolean
    : Value extends number
      ? number
      : string
  : never;

/** What every setting stands on, in its own type. */
export type SettingValues = { readonly [Key in SettingKey]: ValueOf<Definitions[Key]> };

export interface SettingDefinition {
  readonly section: SectionKey;
  readonly key: SettingKey;
  readonly type: SettingType;
  readonly initial: string | number | boolean;
  readonly description: string;
  /** The value that `text` stands for; null when it is none of this setting. */
  parse(text: string): string | number | boolean | null;
  /** What a value must be, for messages. */
  readonly expected: string;
}

const EXPECTED: Readonly<Record<SettingType, string>> = {
  String: 'a text',
  Text: 'a text',
  Secret: 'a text',
  Integer: 'a whole number',
  Boolean: 'true or false',
};

function parseAs(type: SettingType, value: string): string | number | boolean | null {
  if (type === 'Boolean') return /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : null;
  if (type === 'Integer') return /^-?\d{1,15}$/.test(value) ? Number(value) : null;
  return value;
}

function define(section: SectionKey, key: string, definition: Definition<SettingType, unknown>): SettingDefinition {
  const { type, initial, description, check } = definition;
  return {
    section,
    key: key as SettingKey,
    type,
    initial: initial as SettingDefinition['initial'],
    description,
    expected: check?.[1] ?? EXPECTED[type],
    parse(value) {
      const parsed = parseAs(type, value);
      return parsed === null || (check !== undefined && !check[0](parsed)) ? null : parsed;
    },
  };
}

/** The definitions of every section, in order. */
export const SETTINGS: Readonly<Record<SectionKey, readonly SettingDefinition[]>> = Object.fromEntries(
  Object.entries(CATALOGUE).map(([section, { settings }]) => [
    section,
    Object.entries(settings).map(([key, definition]) =>
      define(section as SectionKey, key, definition as Definition<SettingType, unknown>),
    ),
  ]),
) as unknown as Readonly<Record<SectionKey, readonly SettingDefinition[]>>;

export const ALL_SETTINGS: readonly SettingDefinition[] = Object.values(SETTINGS).flat();
