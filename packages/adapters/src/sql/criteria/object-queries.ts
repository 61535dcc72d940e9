import { type Condition, exceedsBytes, type ListPage, type SummaryPage, type SummaryRow } from '@baobab/core';
import { pathsOfText } from '../../index-paths.ts';
import { type ReadyIndex, rangeCount } from '../lists/index-choice.ts';
import { FEW, planByIndex } from '../lists/list-plan.ts';
import { type SqlExecutor, withIndexes } from '../statements/executor.ts';
import { readBounded } from '../statements/pages.ts';
import { allOf, type Query, TRUE } from './dialect.ts';
import { idCountQuery, type ObjectPlan, pageQuery } from './object-pages.ts';
import { createObjectStatement, idOf, type MakeSource, type ObjectStatement } from './object-statement.ts';
import {
  type SummaryCells,
  type SummarySource,
  summaryOrder,
  summaryRowColumns,
  summaryStatement,
  toSummaryRow,
} from './summaries.ts';

const READY = `select path, name from list_indexes where list = ?1 and state = 'ready'`;

/** Runs criteria on the rows of a source. */
export function createObjectQueries(executor: SqlExecutor) {
  const { criteria } = executor;

  async function numberOf({ text, values }: Query): Promise<number> {
    const [row] = await executor.search<{ n: number }>(text, values);
    return row?.n ?? 0;
  }

  /** Runs `work` with the usable indexes. @param isHelped true if an index can help at all */
  async function withReady<Answer>(
    make: MakeSource,
    isHelped: boolean,
    work: (ready: readonly ReadyIndex[]) => Promise<Answer>,
  ): Promise<Answer> {
    await criteria.prepare(executor);
    const { whole } = createObjectStatement(criteria, make, []).source;
    if (whole === null || !isHelped) return work([]);
    const rows = await executor.read<{ path: string; name: string }>(READY, [whole.list]);
    const ready = rows.map(({ path, name }) => ({ paths: pathsOfText(path), name }));
    return withIndexes(executor, ready, work);
  }

  /** Returns true if the possible matches are so few that it is cheapest to read all of them. */
  async function areFew(make: MakeSource, where: Condition | null): Promise<boolean> {
    const statement = createObjectStatement(criteria, make, []);
    const ids = statement.within(where);
    return ids !== null && (await numberOf(idCountQuery(statement, ids, FEW + 1))) <= FEW;
  }

  function indexedPlan(statement: ObjectStatement, { where, order }: ListPage): ObjectPlan | Promise<ObjectPlan> {
    const found = statement.rangesOf(where, order);
    if (found === null && statement.orderedIndex(order) === null) return 'all';
    const [first] = order;
    return planByIndex({
      found,
      isOrdered: first === undefined || statement.source.sortColumn(first) !== null,
      countRanges(most) {
        const { index = null, ranges = [] } = found?.narrow ?? {};
        return numberOf(statement.query(rangeCount(statement.rows(index), ranges, most)));
      },
    });
  }

  async function planOf(make: MakeSource, list: ListPage, ready: readonly ReadyIndex[]): Promise<ObjectPlan> {
    if (await areFew(make, list.where)) return 'within';
    return ready.length === 0 ? 'all' : indexedPlan(createObjectStatement(criteria, make, ready), list);
  }

  /** Returns a page. `isFull` is also true if it ended at the byte limit. */
  async function page<Row>(
    make: MakeSource,
    list: ListPage,
    { ready, plan }: { readonly ready: readonly ReadyIndex[]; readonly plan: ObjectPlan },
  ): Promise<{ readonly rows: Row[]; readonly isFull: boolean }> {
    const statement = createObjectStatement(criteria, make, ready);
    const { limit, maxBytes } = list;
    const columns = statement.source.listed;
    const bounded = { ...pageQuery(statement, list, plan), columns, maxBytes };
    const rows = await readBounded<Row>(executor, 'search', bounded);
    if (rows.length >= limit) return { rows: rows.slice(0, limit), isFull: true };
    const textsOf = (row: Row) => columns.heavy.map((name) => String((row as Record<string, unknown>)[name] ?? ''));
    return { rows, isFull: maxBytes !== undefined && exceedsBytes(rows, textsOf, maxBytes) };
  }

  /** Returns the matching rows, for a statement that reads all of them: those of each range of an index, or of all. */
  function foundBy(statement: ObjectStatement, where: Condition | null, isWithin: boolean): SummarySource['sources'] {
    const { source } = statement;
    const narrow = isWithin ? null : (statement.rangesOf(where, [])?.narrow ?? null);
    if (narrow !== null) {
      const from = statement.rows(narrow.index);
      return narrow.ranges.map((range) => ({ from, where: allOf([source.where, range, narrow.rest]) }));
    }
    const among = isWithin ? `${idOf(source)} in (${statement.within(where)})` : TRUE;
    return [{ from: statement.rows(), where: allOf([source.where, among, statement.filter(where)]) }];
  }

  return {
    list<Row>(make: MakeSource, list: ListPage): Promise<Row[]> {
      const isHelped = list.where !== null || list.order.length > 0;
      return withReady(make, isHelped, async (ready) => {
        const plan = await planOf(make, list, ready);
        const first = await page<Row>(make, list, { ready, plan });
        if (plan !== 'window' || first.isFull) return first.rows;
        return (await page<Row>(make, list, { ready, plan: 'ranges' })).rows;
      });
    },

    count(make: MakeSource, where: Condition | null): Promise<number> {
      return withReady(make, where !== null, async (ready) => {
        const isWithin = await areFew(make, where);
        const statement = createObjectStatement(criteria, make, ready);
        const rows = foundBy(statement, where, isWithin).map(
          (of) => `select 1 as one from ${of.from} where ${of.where}`,
        );
        return numberOf(statement.query(`select count(*) as n from (${rows.join(' union all ')}) found`));
      });
    },

    summarize(make: MakeSource, { where, skip, limit, maxBytes, ...summary }: SummaryPage): Promise<SummaryRow[]> {
      return withReady(make, where !== null, async (ready) => {
        const isWithin = await areFew(make, where);
        const statement = createObjectStatement(criteria, make, ready);
        const { params, context } = statement;
        const sources = foundBy(statement, where, isWithin);
        const rows = { sources, limit: params.add(limit), offset: params.add(skip) };
        const cells = await readBounded<SummaryCells>(executor, 'search', {
          ...statement.query(summaryStatement(summary, rows, context)),
          columns: summaryRowColumns(summary),
          order: summaryOrder(summary),
          maxBytes,
        });
        return cells.map((row) => toSummaryRow(row, summary));
      });
    },
  };
}
