import { COLLECTION_REMOVALS } from './collections/collection-removal.ts';
import { GROUP_REMOVALS } from './groups/group-removal.ts';
import { createDocumentTotals } from './lists/document-totals.ts';
import type { SqlExecutor } from './statements/executor.ts';
import { USER_REMOVALS } from './users/user-removal.ts';

/** Maximum number of each kind from which a part is removed. */
const IN_TURN = 100;

/** Creates `Storage.maintain`: removes a part of each begun removal, then folds the totals of documents. */
export function createMaintenance(executor: SqlExecutor) {
  const totals = createDocumentTotals(executor, true);

  return async (limit: number): Promise<boolean> => {
    const failures: unknown[] = [];
    let isLeft = false;
    for (const { begun, removePart } of [USER_REMOVALS, COLLECTION_REMOVALS, GROUP_REMOVALS]) {
      for (const { id } of await executor.read<{ id: string }>(begun, [IN_TURN])) {
        try {
          isLeft = (await executor.atomic((transaction) => removePart(transaction, id, limit))) || isLeft;
        } catch (error) {
          failures.push(error);
        }
      }
    }
    if (isLeft) return true;
    // Only then, so that a removal that fails does not stop the others.
    if (failures.length > 0) throw failures[0];
    await totals.fold(limit);
    return false;
  };
}
