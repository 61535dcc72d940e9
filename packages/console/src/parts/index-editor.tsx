import type { IndexInfo } from '@baobab/client/admin';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts.ts';
import { useAction, useLoad } from '../use-load.ts';
import { Failure } from './failure.tsx';
import { Field } from './field.tsx';
import { Loading, Table } from './view.tsx';

const TEXTS = texts.indexes;

interface IndexEditorProps {
  readonly title: string;
  readonly about: string;
  /** Label of the field for a new path. */
  readonly path: string;
  /** Must be the same function on every render. */
  readonly list: (signal: AbortSignal) => Promise<readonly IndexInfo[]>;
  readonly create: (path: string) => Promise<unknown>;
  readonly remove: (path: string) => Promise<void>;
}

/** The indexes of one list. */
export function IndexEditor({ title, about, path: label, list, create, remove }: IndexEditorProps): ReactNode {
  const loaded = useLoad(list);
  const [path, setPath] = useState('');
  const { isBusy, error, run } = useAction();
  const act = async (work: () => Promise<unknown>) => {
    if (await run(work)) loaded.reload();
  };
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <p className="dim">{about}</p>
      <Loading loaded={loaded}>
        {(indexes) => (
          <>
            <IndexTable
              label={title}
              indexes={indexes}
              isBusy={isBusy}
              onRemove={(index) => act(() => remove(index))}
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
            const wanted = path.trim();
            await create(wanted);
            // Keeps text that was typed meanwhile.
            setPath((now) => (now.trim() === wanted ? '' : now));
          });
        }}
      >
        <Field label={label} value={path} onChange={setPath} required={true} autoComplete="off" />
        <button type="submit" disabled={isBusy}>
          {TEXTS.add}
        </button>
      </form>
      <Failure error={error} />
    </section>
  );
}

interface IndexTableProps {
  readonly label: string;
  readonly indexes: readonly IndexInfo[];
  readonly isBusy: boolean;
  readonly onRemove: (path: string) => Promise<void>;
}

function IndexTable({ label, indexes, isBusy, onRemove }: IndexTableProps): ReactNode {
  if (indexes.length === 0) return <p>{TEXTS.none}</p>;
  return (
    <Table label={label}>
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
