import type { AuditParty } from '@baobab/core';
import { Type } from 'typebox';
import { AUDIT_PARTY } from './audit.ts';
import { NullableText, OneOf, Wire } from './common.ts';

const By = Type.Unsafe<AuditParty | null>({
  ...AUDIT_PARTY,
  description: 'The acting user or API key by the audit events; null if they do not contain it, or not any longer',
});

const made = {
  by: By,
  at: NullableText('The time of that event; null if it is unknown'),
};

export const AccessAnswer = Type.Object(
  {
    accounts: Type.Array(
      Type.Object(
        {
          id: Type.String({ format: 'uuid' }),
          name: Type.String(),
          role: Type.String(),
          status: OneOf(['ACTIVE', 'SUSPENDED', 'ERASING']),
          created: Wire.date,
          ...made,
        },
        { title: 'AccountWithAccess' },
      ),
      { description: 'The administrators and BackOffice users. `by` and `at`: who gave them this role, and when' },
    ),
    more: Type.Boolean({ description: 'True if there are more than 1,000 accounts of a role' }),
    keys: Type.Array(
      Type.Object(
        {
          id: Type.String({ format: 'uuid' }),
          name: Type.String(),
          role: Type.String(),
          expires: NullableText('Expiry; null for never'),
          lastUse: NullableText('The last use, to the minute; null if unused'),
          ...made,
        },
        { title: 'KeyWithAccess' },
      ),
      { description: 'The API keys. `by` and `at`: who created them, and when' },
    ),
    webhooks: Type.Array(
      Type.Object(
        {
          id: Type.String({ format: 'uuid' }),
          url: Type.String(),
          collections: Type.Array(Type.String()),
          where: NullableText('The filter; null for all documents'),
          enabled: Type.Boolean(),
          ...made,
          changedBy: By,
          changedAt: NullableText('The time of the last change of its settings or secret; null if it is unknown'),
        },
        { title: 'WebhookWithAccess' },
      ),
      { description: 'The webhooks. `by` and `at`: who created them, and when' },
    ),
    collections: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          rules: Type.Array(
            Type.Object(
              {
                action: OneOf(['read', 'update', 'delete']),
                role: Type.String(),
                if: NullableText('The filter of the rule; null for all documents'),
              },
              { title: 'OpeningRule' },
            ),
            { description: 'The rules for roles other than administrators and BackOffice users' },
          ),
          parent: NullableText('The field through which documents inherit permissions; null without one'),
          ...made,
        },
        { title: 'OpenCollection' },
      ),
      {
        description:
          'The collections whose rules give users permissions on the documents of others. `by` and `at`: who changed ' +
          'the rules last, and when',
      },
    ),
  },
  { title: 'AccessList' },
);
