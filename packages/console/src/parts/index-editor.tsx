import type { IndexInfo } from '@baobab/client/admin';
import { Plus, RotateCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts.ts';
import { useAction, useLoad } from '../use-load.ts';
import { Badge } from './badge.tsx';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';
import { Field } from './field.tsx';
import { PathTable } from './path-table.tsx';
import { Loading, Section } from './view.tsx';

const TEXTS = texts.indexes;

interface IndexEditorProps {
  readonly title: string;
  readonly about: string;
  /** Label of the field for a new path. */
  readonly path: string;
  /** Name of the list. */
  readonly of: string;
  readonly list: (signal: AbortSignal) => Promise<readonly IndexInfo[]>;
  readonly create: (path: string, isUnique: boolean) => Promise<unknown>;
  readonly remove: (path: string) => Promise<void>;
  /** True if an index may forbid equal values. */
  readonly canBeUnique?: boolean;
}

const rowOf = ({ path, state, unique }: IndexInfo) => ({
  path,
  cells: [
    <>
      <Badge tone={state === 'ready' ? 'ok' : 'warning'}>{TEXTS.states[state]}</Badge>
      {unique && <Badge>{TEXTS.isUnique}</Badge>}
    </>,
  ],
});

/** The indexes of one list. */
export function IndexEditor(props: IndexEditorProps): ReactNode {
  const { title, about, path: label, of, list, create, remove, canBeUnique = false } = props;
  const loaded = useLoad(['indexes', of], list);
  const [path, setPath] = useState('');
  const [isUnique, setUnique] = useState(false);
  const { isBusy, error, run } = useAction(loaded.reload);
  return (
    <Section title={title} about={about}>
      <Loading loaded={loaded}>
        {(indexes) => (
          <>
            {indexes.length === 0 ? (
              <p className="muted">{TEXTS.none}</p>
            ) : (
              <PathTable
                label={title}
                heads={[TEXTS.state]}
                rows={indexes.map(rowOf)}
                isBusy={isBusy}
                removeOf={TEXTS.removeOf}
                onRemove={(index) => run(() => remove(index))}
              />
            )}
            {indexes.some(({ state }) => state === 'building') && (
              <div>
                <Button icon={RotateCw} onClick={loaded.reload}>
                  {texts.refresh}
                </Button>
              </div>
            )}
          </>
        )}
      </Loading>
      <form
        className="row bottom"
        onSubmit={(event) => {
          event.preventDefault();
          return run(async () => {
            const wanted = path.trim();
            await create(wanted, isUnique);
            // Keeps text that was typed meanwhile.
            setPath((now) => (now.trim() === wanted ? '' : now));
            setUnique(false);
          });
        }}
      >
        <Field label={label} value={path} onChange={setPath} required={true} autoComplete="off" />
        {canBeUnique && (
          <label className="check">
            <input type="checkbox" checked={isUnique} onChange={({ target }) => setUnique(target.checked)} />
            {TEXTS.unique}
          </label>
        )}
        <Button type="submit" icon={Plus} disabled={isBusy}>
          {TEXTS.add}
        </Button>
      </form>
      <Failure error={error} />
    </Section>
  );
}
