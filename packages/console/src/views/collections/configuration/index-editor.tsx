import type { IndexInfo } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { Failure } from '../../../parts/failure.tsx';
import { Field } from '../../../parts/field.tsx';
import { useService } from '../../../parts/service.ts';
import { Loading, Table } from '../../../parts/view.tsx';
import { texts } from '../../../texts.ts';
import { useAction, useLoad } from '../../../use-load.ts';

const TEXTS = texts.collections.indexes;

/** The indexes on paths of the content. */
export function IndexEditor({ collection }: { readonly collection: string }): ReactNode {
  const { collections } = useService().client.admin;
  const load = useCallback(
    (signal: AbortSignal) => collections.indexes(collection, { signal }),
    [collections, collection],
  );
  const loaded = useLoad(load);
  const [path, setPath] = useState('');
  const { isBusy, error, run } = useAction();
  const act = async (work: () => Promise<unknown>) => {
    if (await run(work)) loaded.reload();
  };
  return (
    <section className="card" aria-label={TEXTS.title}>
      <h2>{TEXTS.title}</h2>
      <p className="dim">{TEXTS.about}</p>
      <Loading loaded={loaded}>
        {(indexes) => (
          <>
            <IndexTable
              indexes={indexes}
              isBusy={isBusy}
              onRemove={(index) => act(() => collections.removeIndex(collection, index))}
            />
            {indexes.some(({ state }) => state === 'building') && (
              <button type="button" onClick={loaded.reload}>
                {TEXTS.refresh}
              </button>
            )}
          </>
        )}
      </Loading>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          return act(async () => {
            await collections.createIndex(collection, path.trim());
            setPath('');
          });
        }}
      >
        <Field label={TEXTS.path} value={path} onChange={setPath} required={true} autoComplete="off" />
        <button type="submit" disabled={isBusy}>
          {TEXTS.add}
        </button>
      </form>
      <Failure error={error} />
    </section>
  );
}

interface IndexTableProps {
  readonly indexes: readonly IndexInfo[];
  readonly isBusy: boolean;
  readonly onRemove: (path: string) => Promise<void>;
}

function IndexTable({ indexes, isBusy, onRemove }: IndexTableProps): ReactNode {
  if (indexes.length === 0) return <p>{TEXTS.none}</p>;
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{TEXTS.path}</th>
          <th scope="col">{TEXTS.state}</th>
          <th scope="col">{texts.actions}</th>
        </tr>
      </thead>
      <tbody>
        {indexes.map(({ path, state }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td>{TEXTS.states[state]}</td>
            <td>
              <button type="button" disabled={isBusy} aria-label={TEXTS.removeOf(path)} onClick={() => onRemove(path)}>
                {texts.remove}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
