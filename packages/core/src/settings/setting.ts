/** A `Text` is a `String` of several lines; a `Secret` can be written but never read. */
export type SettingType = 'String' | 'Integer' | 'Boolean' | 'Text' | 'Secret';

export interface Definition<Type extends SettingType, Value> {
  readonly type: Type;
  readonly initial: Value;
  readonly description: string;
  /** A check beyond the type, and the expected value, for messages. */
  readonly check?: readonly [(value: Value) => boolean, string];
}

/** A check of a value, and the expected value, for messages. */
export type Check<Value> = readonly [(value: Value) => boolean, string];

const withText = <Type extends 'String' | 'Text' | 'Secret'>(
  type: Type,
  initial: string,
  description: string,
  check?: Check<string>,
): Definition<Type, string> => ({ type, initial, description, ...(check === undefined ? {} : { check }) });

/** Functions that declare settings. */
export const setting = {
  string: (initial: string, description: string, check?: Check<string>) =>
    withText('String', initial, description, check),
  text: (initial: string, description: string) => withText('Text', initial, description),
  secret: (description: string) => withText('Secret', '', description),
  integer: (initial: number, description: string, least: number, most: number): Definition<'Integer', number> => ({
    type: 'Integer',
    initial,
    description,
    check: [(value) => value >= least && value <= most, `a whole number from ${least} to ${most}`],
  }),
  boolean: (initial: boolean, description: string): Definition<'Boolean', boolean> => ({
    type: 'Boolean',
    initial,
    description,
  }),
} as const;

/** For a `String` that must be a single line. */
export const oneLine: Check<string> = [(value) => !/[\r\n]/.test(value), 'one line'];

/** The sections of settings in the order in which they are shown, with their descriptions. */
export const SETTING_SECTIONS = {
  PasswordRecovery: 'The way to a new password: the mail, the form and the pages, and the mail server',
  Application: 'The application',
  Push: 'Push notifications',
  Images: 'The resizing of images',
  Social: 'Login with social networks',
} as const;

export type SectionKey = keyof typeof SETTING_SECTIONS;

type AnyDefinition =
  | Definition<'String' | 'Text' | 'Secret', string>
  | Definition<'Integer', number>
  | Definition<'Boolean', boolean>;

/**
 * Settings of one section that belong together: the core's own, or those of one adapter. No two groups have a key in
 * common.
 */
export interface SettingGroup<Key extends string = string> {
  readonly section: SectionKey;
  readonly settings: Readonly<Record<Key, AnyDefinition>>;
}

type ValueOf<T> =
  T extends Definition<'Boolean', boolean> ? boolean : T extends Definition<'Integer', number> ? number : string;

/** The values of a group, each in its own type. */
export type ValuesOf<Group extends SettingGroup> = {
  readonly [Key in keyof Group['settings']]: ValueOf<Group['settings'][Key]>;
};

/** The current values of an adapter's settings; they may change while the service runs. */
export interface SettingsSource<Group extends SettingGroup> {
  /** @throws `storage.unavailable` */
  current(): Promise<ValuesOf<Group>>;
}

/** An adapter that has settings of its own. */
export interface AdapterWithSettings<Port, Group extends SettingGroup = SettingGroup> {
  readonly settings: Group;
  create(settings: SettingsSource<Group>): Port;
}
