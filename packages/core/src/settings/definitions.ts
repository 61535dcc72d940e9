import { CORE_SETTINGS } from './catalogue.ts';
import { type Definition, SETTING_SECTIONS, type SectionKey, type SettingGroup, type SettingType } from './setting.ts';

export interface SettingDefinition {
  readonly section: SectionKey;
  readonly key: string;
  readonly type: SettingType;
  readonly initial: string | number | boolean;
  readonly description: string;
  /** Parses `text`; null if it is not a valid value of this setting. */
  parse(text: string): string | number | boolean | null;
  /** The expected value, for messages. */
  readonly expected: string;
  /** True if a change needs a fresh login of an administrator. */
  readonly isProtected: boolean;
  /** Returns the host that the server connects to because of a valid value; empty for none. */
  hostIn(text: string): string;
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
  const { type, initial, description, isProtected, check, hostIn } = definition;
  return {
    section,
    key,
    type,
    initial: initial as SettingDefinition['initial'],
    description,
    expected: check?.[1] ?? EXPECTED[type],
    isProtected,
    hostIn: (text) => hostIn?.(text) ?? '',
    parse(value) {
      const parsed = parseAs(type, value);
      return parsed === null || (check !== undefined && !check[0](parsed)) ? null : parsed;
    },
  };
}

const definitionsOf = ({ section, settings }: SettingGroup): SettingDefinition[] =>
  Object.entries(settings).map(([key, definition]) =>
    define(section, key, definition as Definition<SettingType, unknown>),
  );

/** Settings of every section, in order. */
export type SettingSections = Readonly<Record<SectionKey, readonly SettingDefinition[]>>;

/**
 * Returns the settings of the core and of the adapters, by section.
 *
 * @throws Error if two groups have a key in common
 */
export function defineSettings(groups: readonly SettingGroup[]): SettingSections {
  const all = [...CORE_SETTINGS, ...groups].flatMap(definitionsOf);
  const seen = new Set<string>();
  for (const { key } of all) {
    if (seen.has(key)) throw new Error(`two groups of settings have the key "${key}"`);
    seen.add(key);
  }
  const names = Object.keys(SETTING_SECTIONS) as SectionKey[];
  return Object.fromEntries(
    names.map((name) => [name, all.filter(({ section }) => section === name)]),
  ) as unknown as SettingSections;
}
