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
  kind: OneOf(KINDS, '`operator`: a person who runs commands on the machine'),
  id: NullableText(),
  name: NullableText('Its name at that time'),
};

export const AUDIT_PARTY = {
  type: ['object', 'null'],
  properties: partyMembers,
  required: ['kind', 'id', 'name'],
};

const act = OneOf(AUDIT_ACTS, 'The event');

export const AuditEntry = Type.Object(
  {
    number: Type.Integer({ description: 'The position in the chain, from 1' }),
    at: Wire.date,
    act,
    by: Type.Object(partyMembers, { title: 'AuditParty', description: 'The acting user' }),
    to: Type.Unsafe<AuditParty | null>({
      ...AUDIT_PARTY,
      description: 'The user or object affected; null if there is none, or if it is unknown',
    }),
    network: NullableText('The network of the client, such as `192.0.2.0/24`; null if unknown'),
    details: Type.Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      description: 'Details, which depend on the act',
    }),
    hash: Type.String({ description: 'SHA-256 over the hash before it and the content of the event, as base64url' }),
  },
  { title: 'AuditEntry' },
);

const { recordsPerPage, cursor } = pageQuery;
export const AuditListQuery = Type.Object({
  act: Type.Optional(act),
  by: OptionalText('The id or the exact name of the acting user'),
  to: OptionalText('The id or the exact name of the user or thing affected'),
  from: OptionalText('Not before this date'),
  until: OptionalText('Before this date'),
  recordsPerPage,
  cursor,
});
