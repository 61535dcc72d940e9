import { AUDIT_ACTS, type AuditParty } from '@baobab/core';
import { Type } from 'typebox';
import { NullableText, OneOf, OptionalText, pageQuery, Wire } from './common.ts';

const KINDS: readonly AuditParty['kind'][] = [
  'anonymous',
  'operator',
  'user',
  'key',
  'role',
  'passkey',
  'setting',
  'network',
  'collection',
  'webhook',
];

const partyMembers = {
  kind: OneOf(KINDS, '`operator`: whoever runs commands on the machine'),
  id: NullableText(),
  name: NullableText('The name that it had then'),
};

const act = OneOf(AUDIT_ACTS, 'What happened');

export const AuditEntry = Type.Object(
  {
    number: Type.Integer({ description: 'The place in the chain, from 1' }),
    at: Wire.date,
    act,
    by: Type.Object(partyMembers, { title: 'AuditParty', description: 'Who did it' }),
    to: Type.Unsafe<AuditParty | null>({
      type: ['object', 'null'],
      properties: partyMembers,
      required: ['kind', 'id', 'name'],
      description: 'To whom or what it was done; null where nobody is concerned, or nobody knows who',
    }),
    network: NullableText('The network of the client, such as `192.0.2.0/24`; null where it is not known'),
    details: Type.Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      description: 'What else is known, by act',
    }),
    hash: Type.String({ description: 'SHA-256 over the hash before it and the content of the event, as base64url' }),
  },
  { title: 'AuditEntry' },
);

const { recordsPerPage, cursor } = pageQuery;
export const AuditListQuery = Type.Object({
  act: Type.Optional(act),
  by: OptionalText('The id or the exact name of whoever did it'),
  to: OptionalText('The id or the exact name of the user or thing affected'),
  from: OptionalText('Not before this date'),
  until: OptionalText('Before this date'),
  recordsPerPage,
  cursor,
});
