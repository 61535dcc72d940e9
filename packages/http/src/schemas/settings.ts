import { Type } from 'typebox';
import { CurrentPassword } from './common.ts';

export const Setting = Type.Object({
  key: Type.String(),
  value: Type.String({ description: '`***` for a secret that is set' }),
  description: Type.String(),
  type: Type.String(),
  // Not `default`: OpenAPI linters would mistake an example with `type` and `default` for a schema.
  default_value: Type.String({ description: 'The default value' }),
  expected: Type.String({ description: 'A description of the accepted values' }),
});

/** For the OpenAPI document only: a number or a boolean is converted to text. */
export const SettingText = Type.Object({
  value: Type.String({ description: 'The new value as text' }),
  current_password: CurrentPassword,
});
export const SettingBody = Type.Object({
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
  current_password: CurrentPassword,
});
