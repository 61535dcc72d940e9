import { AppError, type CollectionRules, type CollectionStore, type RuleAction, type RulesChange } from '@baobab/core';
import { forgetCollection } from './feed.ts';
import { indexKey, type State, setOf } from './state.ts';

const byteLength = (text: string) => new TextEncoder().encode(text).length;

const NO_RULES: CollectionRules = { create: null, read: [], update: [], delete: [] };

const mapRules = (
  rules: CollectionRules,
  change: (roles: readonly string[]) => readonly string[],
): CollectionRules => ({
  create: rules.create === null ? null : change(rules.create),
  read: change(rules.read),
  update: change(rules.update),
  delete: change(rules.delete),
});

/** Renames a role in all rules, or removes it from them if `to` is null. */
export function moveRules(state: State, from: string, to: string | null): void {
  const moved = (roles: readonly string[]) =>
    roles.flatMap((role) => {
      if (role !== from) return [role];
      return to === null ? [] : [to];
    });
  for (const row of state.collections.values()) {
    if (row.rules !== undefined) state.collections.set({ ...row, rules: mapRules(row.rules, moved) });
  }
}

export function createCollectionStore(state: State): CollectionStore {
  const namesOf = (keys: readonly string[]) =>
    keys.toSorted((a, b) => (a < b ? -1 : 1)).flatMap((key) => state.roles.get(key)?.name ?? []);

  function remove(key: string): boolean {
    for (const { id } of state.documents.where('collection', key)) state.documents.delete(id);
    forgetCollection(state, key);
    const set = setOf({ collection: key });
    for (const { path } of state.indexes.where('set', set)) state.indexes.delete(indexKey(set, path));
    return state.collections.delete(key);
  }

  return {
    async add({ id, name, created }) {
      const key = name.toLowerCase();
      if (state.collections.get(key) !== undefined) return false;
      state.collections.set({ id, key, name, created });
      return true;
    },
    async findName(key) {
      return state.collections.get(key)?.name ?? null;
    },
    async keys() {
      return state.collections.values().map(({ key }) => key);
    },
    async names() {
      return state.collections.values().map(({ name }) => name);
    },
    async list() {
      return state.collections.values().map(({ key, name }) => {
        const documents = state.documents.where('collection', key);
        const size = documents.reduce((sum, { content }) => sum + byteLength(content), 0);
        return { name, records: documents.length, size };
      });
    },
    async weigh(key, most) {
      const documents = state.documents.where('collection', key);
      const changes = state.accessChanges.where('collection', key).length;
      return Math.min(
        most,
        documents.reduce((sum, { grants }) => sum + 1 + grants.size, changes),
      );
    },
    async remove(key) {
      return remove(key);
    },
    async beginRemoval(key) {
      const id = state.collections.get(key)?.id;
      // Immediate removal takes no longer than hiding the documents.
      return id !== undefined && remove(key) ? [id] : null;
    },
    async removePart() {
      return false;
    },
    async removalsBegun() {
      return [];
    },
    async schemaVersions() {
      const all = state.collections.values().map(({ key, schema }) => [key, schema?.version] as const);
      return new Map(all.flatMap(([key, version]) => (version === undefined ? [] : [[key, version]])));
    },
    async schema(key) {
      return state.collections.get(key)?.schema ?? null;
    },
    async setSchema(key, { version, content }) {
      const row = state.collections.get(key);
      if (row !== undefined) state.collections.set({ ...row, schema: { version, content } });
      return row !== undefined;
    },
    async removeSchema(key) {
      const row = state.collections.get(key);
      if (row?.schema == null) return false;
      state.collections.set({ ...row, schema: null });
      return true;
    },
    async rules() {
      const all = new Map<string, CollectionRules>();
      for (const { key, rules } of state.collections.values()) {
        if (rules !== undefined) all.set(key, mapRules(rules, namesOf));
      }
      return all;
    },
    async setRules(key, change: RulesChange) {
      const row = state.collections.get(key);
      if (row === undefined) return null;
      for (const role of Object.values(change).flat()) {
        if (state.roles.get(role) === undefined) throw new AppError('grant.role_unknown');
      }
      const rules = { ...NO_RULES, ...row.rules };
      state.collections.set({ ...row, rules: { ...rules, ...change } });
      const actions = Object.keys(change) as RuleAction[];
      return Object.fromEntries(actions.map((action) => [action, (rules[action] ?? []).toSorted()]));
    },
  };
}
