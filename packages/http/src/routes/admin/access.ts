import { type AccessChange, type AccessList, type AccessLists, wireDate, wireDateOrNull } from '@baobab/core';
import { sendData } from '../../responses/envelope.ts';
import { AccessAnswer } from '../../schemas/access.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('administration');

const made = (change: AccessChange | null) => ({ by: change?.by ?? null, at: wireDateOrNull(change?.at ?? null) });

const shown = ({ accounts, more, keys, webhooks, collections }: AccessList) => ({
  accounts: accounts.map(({ id, name, role, status, created, changed }) => ({
    id,
    name,
    role,
    status,
    created: wireDate(created),
    ...made(changed),
  })),
  more,
  keys: keys.map(({ id, name, role, expires, lastUsed, owner, created }) => ({
    id,
    name,
    role,
    expires: wireDateOrNull(expires),
    lastUse: wireDateOrNull(lastUsed),
    by: { kind: 'user' as const, id: owner.id, name: owner.name },
    at: wireDate(created),
  })),
  webhooks: webhooks.map(({ webhook: { id, url, where, enabled, created, ...webhook }, creation, changed }) => ({
    id,
    url,
    collections: webhook.collections,
    where,
    enabled,
    by: creation?.by ?? null,
    at: wireDate(created),
    changedBy: changed?.by ?? null,
    changedAt: wireDateOrNull(changed?.at ?? null),
  })),
  collections: collections.map(({ name, rules, parent, changed }) => ({
    name,
    rules: rules.map(({ action, role, condition }) => ({ action, role, if: condition })),
    parent,
    ...made(changed),
  })),
});

/** Everything that keeps access to the data of users. */
export const accessRoutes: Routes<{ accessLists: AccessLists }> = async (app, { accessLists }) => {
  app.get(
    '/admin/access',
    operation('listAccess', 'List everything that keeps access to the data of others', {
      description:
        'Administrators, BackOffice users, API keys, webhooks and open collections, with the user who made each. After ' +
        'a leak, remove those that you do not know.',
      data: AccessAnswer,
    }),
    async ({ actor }, reply) => sendData(reply, shown(await accessLists.read(actor))),
  );
};
