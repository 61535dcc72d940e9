import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { EmptyState } from './view.tsx';

interface EmptyListProps {
  readonly texts: { readonly none: string; readonly noneAbout: string; readonly noMatch?: string };
  /** Clears the filter that matches nothing; null: there is no filter. */
  readonly onClear?: (() => void) | null;
  /** Creates the first entry; absent if users cannot create one here. */
  readonly onCreate?: () => void;
  readonly create?: string;
}

/** Content of a list without entries, or without matches of its filter. */
export function EmptyList(props: EmptyListProps): ReactNode {
  const { texts: own, onClear = null, onCreate, create = texts.createFirst } = props;
  if (onClear !== null) {
    return (
      <EmptyState title={own.noMatch ?? own.none}>
        <Button onClick={onClear}>{texts.documents.clear}</Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={own.none} about={own.noneAbout}>
      {onCreate !== undefined && <Button onClick={onCreate}>{create}</Button>}
    </EmptyState>
  );
}
