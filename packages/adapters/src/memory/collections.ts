import {
  AppError,
  type CollectionRules,
  type CollectionStore,
  compareCodePoints,
  NO_RULES,
  type Rule,
} from '@baobab/core';
import { removeDocument } from './access.ts';
import { type State, setOf } from './state.ts';
import type { Immediate } from './tables.ts';

const mapRules = (rules: CollectionRules, change: (rules: readonly Rule[]) => readonly Rule[]): CollectionRules => ({
  ...rules,
  create: rules.create === null ? null : change(rules.create),
  read: change(rules.read),
  update: change(rules.update),
  delete: change(rules.delete),
});

/** Renames a role in all rules, or removes it from them if `to` is null. */
export function moveRules({ collections }: State, from: string, to: string | null): void {
  const moved = (rules: readonly Rule[]) =>
    rules.flatMap((rule) => {
      if (rule.role !== from) return [rule];
      return to === null ? [] : [{ ...rule, role: to }];
    });
  for (const { key, rules } of collections.all()) {
    if (rules !== null) collections.update(key, { rules: mapRules(rules, moved) });
  }
}

const byRole = (a: Rule, b: Rule) =>
  compareCodePoints(a.role, b.role) || compareCodePoints(a.condition ?? '', b.condition ?? '');

export function createCollectionStore(state: State): Immediate<CollectionStore> {
  const { collections, documents, roles } = state;

  const named = (rules: readonly Rule[]) =>
    rules.toSorted(byRole).flatMap((rule) => {
      const role = roles.get(rule.role)?.name;
      return role === undefined ? [] : [{ ...rule, role }];
    });

  return {
    add({ id, name, created }) {
      const key = name.toLowerCase();
      if (collections.has(key)) return false;
      collections.set({ id, key, name, created, rules: null, schema: null, search: null });
      return true;
    },
    findName: (key) => collections.get(key)?.name ?? null,
    names: () => collections.all().map(({ name }) => name),
    list: () =>
      collections.all().map(({ key, name }) => {
        const contents = documents.where({ collection: key }).map(({ content }) => Buffer.byteLength(content));
        return { name, records: contents.length, size: contents.reduce((sum, bytes) => sum + bytes, 0) };
      }),
    remove(key) {
      for (const row of documents.where({ collection: key })) removeDocument(state, row);
      state.accessChanges.remove({ collection: key });
      state.indexes.remove({ set: setOf({ collection: key }) });
      return collections.delete(key);
    },
    schemaVersions: () =>
      new Map(collections.all().flatMap(({ key, schema }) => (schema === null ? [] : [[key, schema.version]]))),
    schema: (key) => collections.get(key)?.schema ?? null,
    setSchema: (key, { version, content }) => collections.update(key, { schema: { version, content } }) !== null,
    removeSchema(key) {
      const hadOne = collections.get(key)?.schema != null;
      collections.update(key, { schema: null });
      return hadOne;
    },
    rules: () =>
      new Map(collections.all().flatMap(({ key, rules }) => (rules === null ? [] : [[key, mapRules(rules, named)]]))),
    setRules(key, change) {
      const row = collections.get(key);
      if (row === null) return null;
      const { create, read = [], update = [], delete: remove = [] } = change;
      for (const { role } of [create ?? [], read, update, remove].flat()) {
        if (!roles.has(role)) throw new AppError('grant.role_unknown');
      }
      const before = row.rules ?? NO_RULES;
      collections.set({ ...row, rules: { ...before, ...change } });
      return mapRules(before, (rules) => rules.toSorted(byRole));
    },
  };
}
