/** A `Text` is a `String` with several lines. A `Secret` can be written but never read. */
export type SettingType = 'String' | 'Integer' | 'Boolean' | 'Text' | 'Secret';

export interface Definition<Type extends SettingType, Value> {
  readonly type: Type;
  readonly initial: Value;
  readonly description: string;
  /**
   * True if a change needs a fresh login of an administrator, and is refused to API keys: for settings of mails, logins,
   * accounts and access to data, and for settings that would hide or outlast a misuse.
   */
  readonly isProtected: boolean;
  /** Check beyond the type, with the expected value, for messages. */
  readonly check?: readonly [(value: Value) => boolean, string];
  /** Returns the host that the server connects to because of a valid value; empty for none. */
  readonly hostIn?: (value: Value) => string;
}

/** A check of a value, with the expected value, for messages. */
export type Check<Value> = readonly [(value: Value) => boolean, string];

/** Functions that declare settings with the same protection. */
function declare(isProtected: boolean) {
  const withText = <Type extends 'String' | 'Text' | 'Secret'>(
    type: Type,
    initial: string,
    description: string,
    check?: Check<string>,
  ): Definition<Type, string> => ({
    type,
    initial,
    description,
    isProtected,
    ...(check === undefined ? {} : { check }),
  });
  return {
    string: (initial: string, description: string, check?: Check<string>) =>
      withText('String', initial, description, check),
    text: (initial: string, description: string) => withText('Text', initial, description),
    secret: (description: string) => withText('Secret', '', description),
    integer: (initial: number, description: string, least: number, most: number): Definition<'Integer', number> => ({
      type: 'Integer',
      initial,
      description,
      isProtected,
      check: [(value) => value >= least && value <= most, `a whole number from ${least} to ${most}`],
    }),
    boolean: (initial: boolean, description: string): Definition<'Boolean', boolean> => ({
      type: 'Boolean',
      initial,
      description,
      isProtected,
    }),
  } as const;
}

const { secret: _secret, ...unprotected } = declare(false);

/** Functions that declare settings. Each setting is `protected` or not (see `Definition`); secrets always are. */
export const setting = { protected: declare(true), unprotected } as const;

/** Requires a `String` to be a single line. */
export const oneLine: Check<string> = [(value) => !/[\r\n]/.test(value), 'one line'];

/** Sections of settings in display order, with their descriptions. */
export const SETTING_SECTIONS = {
  PasswordRecovery: 'Password reset: the mail, the form, the pages, and the mail server',
  Application: 'The application',
  Push: 'Push notifications',
  Images: 'The resizing of images',
  Social: 'Login with social networks',
  Extensions: 'Settings of extensions',
} as const;

export type SectionKey = keyof typeof SETTING_SECTIONS;

type AnyDefinition =
  | Definition<'String' | 'Text' | 'Secret', string>
  | Definition<'Integer', number>
  | Definition<'Boolean', boolean>;

/** A group of settings in one section: the core's own, or those of one adapter. No two groups have a key in common. */
export interface SettingGroup<Key extends string = string> {
  readonly section: SectionKey;
  readonly settings: Readonly<Record<Key, AnyDefinition>>;
}

type ValueOf<T> =
  T extends Definition<'Boolean', boolean> ? boolean : T extends Definition<'Integer', number> ? number : string;

/** Values of a group, each in its own type. */
export type ValuesOf<Group extends SettingGroup> = {
  readonly [Key in keyof Group['settings']]: ValueOf<Group['settings'][Key]>;
};

/** Current values of an adapter's settings. They may change at runtime. */
export interface SettingsSource<Group extends SettingGroup> {
  /** @throws `storage.unavailable` */
  current(): Promise<ValuesOf<Group>>;
}

/** An adapter with settings. */
export interface AdapterWithSettings<Port, Group extends SettingGroup = SettingGroup> {
  readonly settings: Group;
  create(settings: SettingsSource<Group>): Port;
}
