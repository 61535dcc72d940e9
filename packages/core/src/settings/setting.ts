/** `Text` is a `String` of several lines; a `Secret` is written but never read. */
export type SettingType = 'String' | 'Integer' | 'Boolean' | 'Text' | 'Secret';

export interface Definition<Type extends SettingType, Value> {
  readonly type: Type;
  readonly initial: Value;
  readonly description: string;
  /** What a value must be beyond its type; the text says what is expected. */
  readonly check?: readonly [(value: Value) => boolean, string];
}

/** A test of a value, and what is expected, for the message. */
export type Check<Value> = readonly [(value: Value) => boolean, string];

const withText = <Type extends 'String' | 'Text' | 'Secret'>(
  type: Type,
  initial: string,
  description: string,
  check?: Check<string>,
): Definition<Type, string> => ({ type, initial, description, ...(check === undefined ? {} : { check }) });

/** How settings are declared. */
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

/** Of a `String` that must not have several lines. */
export const oneLine: Check<string> = [(value) => !/[\r\n]/.test(value), 'one line'];

/** The sections of settings in the order in which they are shown, with what each is about. */
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
 * Settings of one section that belong together: the core's own, or those of one adapter, which brings them along. No
 * two groups have a key in common.
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

/** Where an adapter finds the values of its settings; they may change while the service runs. */
export interface SettingsSource<Group extends SettingGroup> {
  /** @throws `storage.unavailable` */
  current(): ValuesOf<Group> | Promise<ValuesOf<Group>>;
}

/** An adapter with settings of its own, as it is registered where things are wired. */
export interface AdapterWithSettings<Port, Group extends SettingGroup = SettingGroup> {
  readonly settings: Group;
  create(settings: SettingsSource<Group>): Port;
}
