import { MAX_KEY_NAME_LENGTH } from '@baobab/core';
import { Type } from 'typebox';
import { CurrentPassword, DATE_PATTERN, NullableText, Wire } from './common.ts';

const nullableDate = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: DATE_PATTERN, description });

const name = Type.String({ minLength: 1, maxLength: MAX_KEY_NAME_LENGTH, description: 'The purpose of the key' });
const role = Type.String({ description: 'The role of the key' });

const shown = {
  id: Type.String({ format: 'uuid' }),
  name,
  role,
  owner: Type.String({ description: 'The administrator who created the key and owns all objects that it creates' }),
  created: Wire.date,
  expires: nullableDate('Expiry; null for never'),
  lastUse: nullableDate('The last use, to the minute; null if unused'),
};

export const ApiKey = Type.Object(shown, { title: 'ApiKey' });
export const ApiKeyWithText = Type.Object(
  { ...shown, key: Type.String({ description: 'The key itself; only this response shows it' }) },
  { title: 'ApiKeyWithText' },
);
export const NewApiKey = Type.Object(
  {
    name,
    role,
    expires: Type.Optional(NullableText('Expiry, such as `2030-01-31T09:12:03.512+0000`; absent or null for never')),
    current_password: CurrentPassword,
  },
  { title: 'NewApiKey', additionalProperties: false },
);
