import type { SearchInfo } from '@baobab/client/admin';
import { Plus, RotateCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field } from '../../../parts/field.tsx';
import { PathTable } from '../../../parts/path-table.tsx';
import { useService } from '../../../parts/service.ts';
import { Loading, Section } from '../../../parts/view.tsx';
import { texts } from '../../../texts.ts';
import { useAction } from '../../../use-load.ts';
import { numberText } from '../../../values/format.ts';
import { useSearch } from '../use-search.ts';

const TEXTS = texts.indexes.search;

type Weights = Readonly<Record<string, number>>;

const rowsOf = ({ fields, state }: SearchInfo) =>
  Object.entries(fields).map(([path, weight]) => ({
    path,
    cells: [
      numberText(weight),
      <Badge key="state" tone={state === 'ready' ? 'ok' : 'warning'}>
        {texts.indexes.states[state]}
      </Badge>,
    ],
  }));

/** The fields that full-text search reads, with their weights. Without fields, search is not enabled. */
export function CollectionSearch({ collection }: { readonly collection: string }): ReactNode {
  const { collections } = useService().client.admin;
  const loaded = useSearch(collection);
  const { isBusy, error, run } = useAction(loaded.reload);
  const [path, setPath] = useState('');
  const [weight, setWeight] = useState('1');

  async function change(edit: (fields: Weights) => Weights): Promise<void> {
    // The page may show older fields.
    const current = await collections.findSearch(collection);
    const wanted = edit(current?.fields ?? {});
    const isEmpty = Object.keys(wanted).length === 0;
    await (isEmpty ? collections.removeSearch(collection) : collections.setSearch(collection, wanted));
  }
  const remove = (removed: string) =>
    run(() => change((fields) => Object.fromEntries(Object.entries(fields).filter(([name]) => name !== removed))));

  return (
    <Section title={TEXTS.title} about={TEXTS.about}>
      <Loading loaded={loaded}>
        {({ search }) => (
          <>
            {search === null ? (
              <p className="muted">{TEXTS.none}</p>
            ) : (
              <PathTable
                label={TEXTS.title}
                heads={[TEXTS.weight, texts.indexes.state]}
                rows={rowsOf(search)}
                isBusy={isBusy}
                removeOf={TEXTS.removeOf}
                onRemove={remove}
              />
            )}
            {search?.state === 'building' && (
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
            await change((fields) => ({ ...fields, [path.trim()]: Number(weight) }));
            setPath('');
            setWeight('1');
          });
        }}
      >
        <Field label={TEXTS.path} value={path} onChange={setPath} required={true} autoComplete="off" />
        <Field label={TEXTS.weight} type="number" value={weight} onChange={setWeight} required={true} />
        <Button type="submit" icon={Plus} disabled={isBusy || loaded.data === null}>
          {TEXTS.add}
        </Button>
      </form>
      <Failure error={error} />
    </Section>
  );
}
