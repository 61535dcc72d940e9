import type { ApiKey } from '@baobab/client/admin';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Once } from '../../parts/once.tsx';
import { useService } from '../../parts/service.ts';
import { Age } from '../../parts/values.tsx';
import { Loading, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { AgeOrNever, KeyView } from './key.tsx';
import { NewKey } from './new-key.tsx';

const TEXTS = texts.keys;

/** The list of API keys, or one of them. */
export function Keys({ place }: ViewOfPlaceProps): ReactNode {
  const [, id] = place.path;
  return id === undefined ? <KeyList /> : <KeyView key={id} id={id} />;
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { id: 'name', title: texts.name, cell: ({ id, name }) => <a href={hrefOf(['keys', id])}>{name}</a> },
  { id: 'role', title: TEXTS.role, width: 140, cell: ({ role }) => role },
  {
    id: 'owner',
    title: TEXTS.owner,
    width: 140,
    cell: ({ owner }) => <a href={hrefOf(['users', owner])}>{owner}</a>,
  },
  { id: 'lastUse', title: TEXTS.lastUse, width: 140, cell: ({ lastUse }) => <AgeOrNever date={lastUse} /> },
  { id: 'expires', title: TEXTS.expires, width: 140, cell: ({ expires }) => <AgeOrNever date={expires} /> },
  { id: 'created', title: TEXTS.created, width: 140, cell: ({ created }) => <Age date={created} /> },
];

function KeyList(): ReactNode {
  const { keys } = useService().client.admin;
  const loaded = useLoad(['keys'], (signal) => keys.list({ signal }));
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {TEXTS.create}
    </Button>
  );
  return (
    <View title={TEXTS.title} isFull={true} actions={create}>
      <Loading loaded={loaded}>
        {(all) =>
          all.length === 0 ? (
            <EmptyList texts={TEXTS} onCreate={() => setCreating(true)} />
          ) : (
            <DataTable label={TEXTS.title} name="keys" columns={COLUMNS} rows={all} keyOf={({ id }) => id} />
          )
        }
      </Loading>
      {isCreating && (
        <NewKey
          onClose={() => setCreating(false)}
          onCreated={(text) => {
            setCreating(false);
            setCreated(text);
            loaded.reload();
          }}
        />
      )}
      {created !== null && (
        <Once title={TEXTS.newKey} label={TEXTS.key} value={created} onClose={() => setCreated(null)} />
      )}
    </View>
  );
}
