import type { RoleStore } from '@baobab/core';
import { readOne, type SqlExecutor } from './executor.ts';

interface RoleRow {
  readonly name: string;
  readonly description: string;
  readonly built_in: number;
}

const FIND = 'select name, description, built_in from roles where role_key = ?1';

export function createRoleStore(executor: SqlExecutor): RoleStore {
  return {
    async findByKey(key) {
      const row = await readOne<RoleRow>(executor, FIND, [key]);
      return row === null ? null : { name: row.name, description: row.description, builtIn: row.built_in === 1 };
    },
  };
}
