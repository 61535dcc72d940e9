import { Type } from 'typebox';
import { NullableText, OneOfOrNull } from './common.ts';

export const ShownSession = Type.Object({
  id: Type.String(),
  device: Type.Unsafe<{ id: string; os: string | null } | null>({
    ...Type.Object({ id: Type.String(), os: NullableText() }),
    type: ['object', 'null'],
  }),
  created: Type.String(),
  lastUse: Type.String({ description: 'Approximate' }),
  network: NullableText('Network in which the session began: a prefix of the address'),
  client: NullableText('The name that the client reported'),
  factor: OneOfOrNull(
    ['totp', 'recovery_code', 'passkey'],
    'The second factor of the login, or the passkey that replaces it; null without one',
  ),
  current: Type.Boolean(),
});
