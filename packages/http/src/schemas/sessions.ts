import { Type } from 'typebox';
import { NullableText } from './common.ts';

export const ShownSession = Type.Object({
  id: Type.String(),
  device: Type.Unsafe<{ id: string; os: string | null } | null>({
    ...Type.Object({ id: Type.String(), os: NullableText }),
    type: ['object', 'null'],
  }),
  created: Type.String(),
  lastUse: Type.String({ description: 'Approximate' }),
  current: Type.Boolean(),
});
