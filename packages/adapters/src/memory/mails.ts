import type { MailStore, WaitingMail } from '@baobab/core';
import type { MailRow } from './mail-rows.ts';
import { requireUser } from './small-stores.ts';
import type { State } from './state.ts';

const toMail = ({ due: _due, attempts, ...mail }: MailRow) => ({ ...mail, attempt: attempts });

export function createMailStore(state: State): MailStore {
  function put(mail: WaitingMail, due: number, attempts: number): void {
    requireUser(state, mail.userId);
    for (const { id } of state.mails.where('topic', mail.topic)) state.mails.delete(id);
    state.mails.set({ ...mail, due, attempts });
  }

  return {
    async add(mail) {
      put(mail, mail.created, 0);
    },
    async addClaimed(mail, until) {
      put(mail, until, 1);
      return { ...mail, attempt: 1 };
    },
    async claim({ now, until, limit }) {
      const due = state.mails.values().filter((row) => row.due <= now);
      const taken = due.sort((a, b) => a.due - b.due).slice(0, limit);
      return taken.map((row) => {
        const claimed = { ...row, due: until, attempts: row.attempts + 1 };
        state.mails.set(claimed);
        return toMail(claimed);
      });
    },
    async postpone({ id, attempt }, due) {
      const row = state.mails.get(id);
      if (row?.attempts !== attempt) return false;
      state.mails.set({ ...row, due });
      return true;
    },
    async remove(id) {
      return state.mails.delete(id);
    },
    async nextDue() {
      const dues = state.mails.values().map(({ due }) => due);
      return dues.length === 0 ? null : Math.min(...dues);
    },
  };
}
