import type { Grants, Group, Stored } from '@baobab/client';
import { useLiveQuery } from '@baobab/client/react';
import { baobab, offline } from './baobab.ts';
import type { Items, Lists } from './types.ts';

export type List = Stored<Lists>;
export type Item = Stored<Items>;

const lists = offline.collection('lists');
const items = offline.collection('items');

/** The lists that the user may read, kept up to date. */
export const useLists = () => useLiveQuery(lists.query().orderBy('title')).rows;

/** One of them, also by the id that it had on this device before the service knew it. */
export const useList = (id: string) => useLiveQuery(lists.query().whereField('id', '=', id)).rows?.[0];

/** What is on a list, kept up to date. */
export const useItems = (list: string) => useLiveQuery(items.query().whereField('list', '=', list)).rows;

/** Whether the service has an item. Until then its id is one of this device. */
export const isStored = ({ id }: Item) => !id.startsWith('local-');

export const addList = (title: string) => lists.create({ title });

export const addItem = (list: List, title: string) =>
  items.create({ list: list.id, title, done: false }, { grants: grantsTo(list.group) });

export const changeItem = (id: string, change: Partial<Items>) => items.update(id, change);

export const removeItem = (id: string) => items.remove(id);

export async function removeList(list: List, content: readonly Item[]) {
  for (const { id } of content) await items.remove(id);
  await lists.remove(list.id);
}

/** What the members of a group may do with what is on a shared list. */
export function grantsTo(group: string | undefined): Grants {
  const groups = group === undefined ? [] : [group];
  return { read: { groups }, update: { groups }, delete: { groups } };
}

/** Shares a list of one's own, and what is on it, with a group. The service has to know all of it already. */
export async function shareList(list: List, content: readonly Item[], group: string) {
  // From now on new items are shared too.
  await baobab.collection('lists').update(list.id, { group });
  await Promise.all(content.map(({ id }) => baobab.collection('items').setGrants(id, grantsTo(group))));
  const photos = content.flatMap(({ photo }) => photo ?? []);
  await Promise.all(photos.map((photo) => baobab.files.grant(photo, 'read', { group })));
  await baobab.collection('lists').setGrants(list.id, grantsTo(group));
}

export const groupsOfMine = () => baobab.groups.list();

/** The groups that the user is invited to. */
export async function invitationsOfMine() {
  const { rows } = await baobab.groups.invitations().page();
  return rows;
}

/** The members of a group. Its owner and managers see who is invited, too. */
export async function membersOf({ id, role }: Group) {
  const members: { readonly name: string; readonly role: string }[] = [];
  for await (const member of baobab.groups.members(id)) members.push(member);
  if (role === 'member') return members;
  for await (const { name } of baobab.groups.invited(id)) members.push({ name, role: 'invited' });
  return members;
}
