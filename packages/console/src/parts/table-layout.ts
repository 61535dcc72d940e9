import { useState } from 'react';
import { pageStorage } from '../page-storage.ts';

/** Columns and widths that a user has changed in a table. */
export interface TableLayout {
  /** Widths by column, in pixels. */
  readonly widths: Readonly<Record<string, number>>;
  /** Chosen columns; null: the default. */
  readonly columns: readonly string[] | null;
}

const DEFAULT: TableLayout = { widths: {}, columns: null };
const storage = pageStorage('localStorage');

function stored(key: string): TableLayout {
  try {
    const { widths, columns } = { ...DEFAULT, ...(JSON.parse(storage.getItem(key) ?? '{}') as Partial<TableLayout>) };
    const isList = Array.isArray(columns) && columns.every((one) => typeof one === 'string');
    return { widths: typeof widths === 'object' && widths !== null ? widths : {}, columns: isList ? columns : null };
  } catch {
    return DEFAULT;
  }
}

/** Returns the layout of a table, which the browser remembers, and changes it. */
export function useTableLayout(name: string) {
  const key = `baobab-console:table:${name}`;
  const [state, setState] = useState(() => ({ key, layout: stored(key) }));
  const layout = state.key === key ? state.layout : stored(key);
  function change(changed: Partial<TableLayout>): void {
    // Another part of the view may have changed the rest meanwhile.
    const next = { ...stored(key), ...changed };
    storage.setItem(key, JSON.stringify(next));
    setState({ key, layout: next });
  }
  return [layout, change] as const;
}
