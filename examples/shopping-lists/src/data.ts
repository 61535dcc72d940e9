import type { Grants, Stored } from '@baobab/client';
import { useLiveQuery } from '@baobab/client/react';
import { baobab } from './baobab.ts';
import type { Items, Lists } from './types.ts';

export type List = Stored<Lists>;
export type Item = Stored<Items>;

const lists = baobab.collection('lists');
const items = baobab.collection('items');

/** The lists that the user may read, kept up to date. */
export const useLists = () => useLiveQuery(lists.query().orderBy('title'));

/** What is on a list, kept up to date. */
export const useItems = (list: string) => useLiveQuery(items.query().where('list = ?', list).orderBy('_creation_date'));

/** What the members of a group may do with what is on a shared list. */
export function grantsTo(group: string | undefined): Grants {
  const groups = group === undefined ? [] : [group];
  return { read: { groups }, update: { groups }, delete: { groups } };
}

export const addList = (title: string) => lists.create({ title });

export const addItem = (list: List, title: string) =>
  items.create({ list: list.id, title, done: false }, { grants: grantsTo(list.group) });

export const changeItem = (id: string, change: Partial<Items>) => items.update(id, change);

export const removeItem = (id: string) => items.remove(id);

export async function removeList(list: List, content: readonly Item[]) {
  await Promise.all(content.map(({ id }) => items.remove(id)));
  await lists.remove(list.id);
}

/** Shares a list of one's own, and what is on it, with a group. */
export async function shareList(list: List, content: readonly Item[], group: string) {
  // From now on new items are shared too.
  await lists.update(list.id, { group });
  await Promise.all(content.map(({ id }) => items.setGrants(id, grantsTo(group))));
  await lists.setGrants(list.id, grantsTo(group));
}

export const groupsOfMine = () => baobab.groups.list();

export async function membersOf(group: string) {
  const members = [];
  for await (const member of baobab.groups.members(group)) members.push(member);
  return members;
}
