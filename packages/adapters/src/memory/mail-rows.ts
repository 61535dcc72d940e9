import type { EmailClaim, WaitingMail } from '@baobab/core';
import { createTable, type Journal } from './tables.ts';

export interface MailRow extends WaitingMail {
  readonly due: number;
  readonly attempts: number;
}

export interface EmailClaimRow extends EmailClaim {
  readonly attempts: number;
}

export interface VerifiedEmailRow {
  readonly key: string;
  readonly userId: string;
}

export const mailTables = (journal: Journal) => ({
  mails: createTable<MailRow>({
    journal,
    key: ({ id }) => id,
    indexes: { topic: ({ topic }) => topic, user: ({ userId }) => userId },
  }),
  emailClaims: createTable<EmailClaimRow>({
    journal,
    key: ({ userId }) => userId,
    indexes: { token: ({ token }) => token },
  }),
  verifiedEmails: createTable<VerifiedEmailRow>({
    journal,
    key: ({ key }) => key,
    indexes: { user: ({ userId }) => userId },
  }),
});
