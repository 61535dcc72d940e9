import type { WaitingMail } from '@baobab/core';
import { createTable, type Journal } from './tables.ts';

export interface MailRow extends WaitingMail {
  readonly due: number;
  readonly attempts: number;
}

/** The tables of mails. */
export const mailTables = (journal: Journal) => ({
  mails: createTable<MailRow>({
    journal,
    key: ({ id }) => id,
    indexes: { topic: ({ topic }) => topic, user: ({ userId }) => userId },
  }),
});
