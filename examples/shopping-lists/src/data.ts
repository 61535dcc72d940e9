import type { Grants, Stored } from '@baobab/client';
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

export async function membersOf(group: string) {
  const members = [];
  for await (const member of baobab.groups.members(group)) members.push(member);
  return members;
}
