import { MAX_KEY_NAME_LENGTH } from '@baobab/core';
import { Type } from 'typebox';
import { CurrentPassword, DATE_PATTERN, NullableText, Wire } from './common.ts';

const nullableDate = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: DATE_PATTERN, description });

const name = Type.String({ minLength: 1, maxLength: MAX_KEY_NAME_LENGTH, description: 'What the key is for' });
const role = Type.String({ description: 'The name of the role whose rights the key has' });

const shown = {
  id: Type.String({ format: 'uuid' }),
  name,
  role,
  owner: Type.String({ description: 'The administrator who made the key, and who owns what it creates' }),
  created: Wire.date,
  expires: nullableDate('When the key ends; null for never'),
  lastUse: nullableDate('The last use, to the minute; null before the first'),
};

export const ServerKey = Type.Object(shown, { title: 'ServerKey' });
export const ServerKeyWithText = Type.Object(
  { ...shown, key: Type.String({ description: 'The key itself; shown only now' }) },
  { title: 'ServerKeyWithText' },
);
export const NewServerKey = Type.Object(
  {
    name,
    role,
    expires: Type.Optional(
      NullableText('When the key ends, such as `2030-01-31T09:12:03.512+0000`; absent or null for never'),
    ),
    current_password: CurrentPassword,
  },
  { title: 'NewServerKey', additionalProperties: false },
);
