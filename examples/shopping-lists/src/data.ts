import type { Grants, Group, Stored } from '@baobab/client';
import { useLiveQuery } from '@baobab/client/react';
import { baobab, offline } from './baobab.ts';
import type { Items, Lists } from './types.ts';

export type List = Stored<Lists>;
export type Item = Stored<Items>;

const lists = offline.collection('lists');
const items = offline.collection('items');

/** Returns the lists that the user may read, kept up to date. */
export const useLists = () => useLiveQuery(lists.query().orderBy('title')).rows;

/** Returns one of them. */
export const useList = (id: string) => useLiveQuery(lists.query().whereField('id', '=', id)).rows?.[0];

/** Returns the items of a list, kept up to date. */
export const useItems = (list: string) => useLiveQuery(items.query().whereField('list', '=', list)).rows;

/** Returns true if the item is stored on the server. */
export const isStored = (item: Item) => item['@version'] > 0;

export const addList = (title: string) => lists.create({ title });

export const addItem = (list: List, title: string) =>
  items.create({ list: list.id, title, done: false }, { grants: grantsTo(list.group) });

export const changeItem = (id: string, change: Partial<Items>) => items.update(id, change);

export const removeItem = (id: string) => items.remove(id);

export async function removeList(list: List, content: readonly Item[]) {
  for (const { id } of content) await items.remove(id);
  await lists.remove(list.id);
}

/** Returns the permissions of group members on the items of a shared list. */
export function grantsTo(group: string | undefined): Grants {
  const groups = group === undefined ? [] : [group];
  return { read: { groups }, update: { groups }, delete: { groups } };
}

/** Shares a list and its items with a group. The server must have all of them already. */
export async function shareList(list: List, content: readonly Item[], group: string) {
  // New items are shared from now on.
  await baobab.collection('lists').update(list.id, { group });
  await Promise.all(content.map(({ id }) => baobab.collection('items').setGrants(id, grantsTo(group))));
  const photos = content.flatMap(({ photo }) => photo ?? []);
  await Promise.all(photos.map((photo) => baobab.files.grant(photo, 'read', { group })));
  await baobab.collection('lists').setGrants(list.id, grantsTo(group));
}

export const groupsOfMine = () => baobab.groups.list();

/** Lists the groups that the user is invited to. */
export async function invitationsOfMine() {
  const { rows } = await baobab.groups.invitations().page();
  return rows;
}

/** Lists the members of a group. Its owner and managers see invited users, too. */
export async function membersOf({ id, role }: Group) {
  const members: { readonly name: string; readonly role: string }[] = [];
  for await (const member of baobab.groups.members(id)) members.push(member);
  if (role === 'member') return members;
  for await (const { name } of baobab.groups.invited(id)) members.push({ name, role: 'invited' });
  return members;
}
