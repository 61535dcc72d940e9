import {
  type AccessScope,
  type Action,
  allows,
  type InheritedAccess,
  isByDocument,
  MAX_ANCESTORS,
  type RuledAccess,
  sufficientRights,
} from '@baobab/core';
import { hasMany, isOneOfMany, principalsJson } from '../documents/access-scope.ts';
import { compileCondition } from './conditions.ts';
import { allOf, anyOf, type CriteriaDialect, FALSE, type Params, TRUE } from './dialect.ts';
import { documentMeaning } from './document-fields.ts';

/** A row of `documents` in a statement. */
interface Row {
  readonly name: string;
  /** Expression for the content. */
  readonly base: string;
  /** Keys of the collections of the document that inherits, and of its ancestors up to this row. */
  readonly path: readonly string[];
}

interface Deps {
  readonly dialect: CriteriaDialect;
  readonly params: Params;
}

/** Compiles the rights of a caller under rules that depend on the document (`AccessScope.rules`). */
export function createRuledAccess({ dialect, params }: Deps, scope: AccessScope) {
  const rules: ReadonlyMap<string, RuledAccess> = scope.rules ?? new Map();
  const inCollection = (row: string, key: string) =>
    `(${row}.collection = (select k.id from collections k where k.name_key = ${params.add(key)}))`;

  function principals(): string {
    if (hasMany(scope)) return isOneOfMany('g.principal', params.add(principalsJson(scope.principals)));
    return `g.principal in (${scope.principals.map(params.add).join(', ')})`;
  }

  /** Returns the condition for a right by ownership, grants, follows or rules. */
  function isAllowed(action: Action, row: Row, keys: readonly string[]): string {
    const { owner, followed } = scope;
    const granted = `exists (select 1 from document_grants g where g.collection = ${row.name}.collection
      and g.document = ${row.name}.id and ${principals()} and (g.rights & ${sufficientRights(action)}) <> 0)`;
    const alternatives = [granted];
    if (owner !== null) alternatives.push(`${row.name}.author = ${params.add(owner)}`);
    if (owner !== null && followed && action === 'read') {
      alternatives.push(
        `exists (select 1 from follows f where f.follower = ${params.add(owner)} and f.followed = ${row.name}.author)`,
      );
    }
    for (const key of keys) {
      const access = rules.get(key);
      const ruled = access === undefined ? FALSE : underRules(action, { ...row, path: [...row.path, key] }, access);
      if (ruled !== FALSE) alternatives.push(allOf([inCollection(row.name, key), ruled]));
    }
    return anyOf(alternatives);
  }

  function inherited(need: Action, { base, path }: Row, { path: steps, collection }: InheritedAccess): string {
    const keys = (collection === null ? Array.from(rules.keys()) : [collection]).filter((key) => !path.includes(key));
    if (collection !== null && keys.length === 0) return FALSE;
    const row = params.alias();
    const there = [`${row}.id = ${dialect.idOf(dialect.value({ base, steps }, params).txt)}`];
    if (collection !== null) there.push(inCollection(row, collection));
    else there.push(...path.map((key) => `not ${inCollection(row, key)}`));
    const allowed = isAllowed(need, { name: row, base: dialect.json(`${row}.content`), path }, keys);
    return `exists (select 1 from documents ${row} where ${allOf([...there, allowed])})`;
  }

  /** Returns the condition for a right on a row under the rules of its collection, the last one in `row.path`. */
  function underRules(action: Action, row: Row, { rights, conditions, parent }: RuledAccess): string {
    if (allows(rights, action)) return TRUE;
    const context = { dialect, params, resolve: documentMeaning(dialect, row.base, row.name) };
    const matching = conditions.flatMap((one) =>
      allows(one.rights, action) ? [compileCondition(one.where, context)] : [],
    );
    const need = action === 'all' ? null : (parent?.needs[action] ?? null);
    if (parent !== null && need !== null && row.path.length <= MAX_ANCESTORS) {
      matching.push(inherited(need, row, parent));
    }
    return anyOf(matching);
  }

  return {
    /** Returns the condition for read access to a row in a collection, by its key, under the rules. */
    readIn(key: string, name: string, base: string): string {
      const access = rules.get(key);
      return access === undefined ? FALSE : underRules('read', { name, base, path: [key] }, access);
    },
    /** Returns the condition for read access to a row in any collection, under all rules. */
    readByRules: (name: string, base: string): string =>
      anyOf(
        Array.from(rules, ([key, access]) =>
          allOf([inCollection(name, key), underRules('read', { name, base, path: [key] }, access)]),
        ),
      ),
    /** Returns the condition for read access to a row in any collection, under rules that depend on the document. */
    readAnywhere(name: string, base: string): string {
      const byDocument = Array.from(rules).filter(([, access]) => isByDocument(access));
      return anyOf(
        byDocument.map(([key, access]) =>
          allOf([inCollection(name, key), underRules('read', { name, base, path: [key] }, access)]),
        ),
      );
    },
  };
}
