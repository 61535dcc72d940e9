import { Type } from 'typebox';

/** Longer than any that we issue. Characters. */
const MAX_CLIENT_LENGTH = 512;

export const Client = Type.Optional(
  Type.String({
    maxLength: MAX_CLIENT_LENGTH,
    description: 'The `client` of an earlier login on this device, if there was one. Also as header `X-BB-CLIENT`',
  }),
);
