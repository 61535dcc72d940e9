import type { ListedGroup } from '@baobab/client';
import { Plus, UserCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useService } from '../../parts/service.ts';
import { usePages } from '../../parts/use-pages.ts';
import { ShortId } from '../../parts/values.tsx';
import { Loading, View } from '../../parts/view.tsx';
import { useGoOn } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { numberText } from '../../values/format.ts';
import { GroupView } from './group.tsx';
import { GroupPolicy } from './group-policy.tsx';

const TEXTS = texts.groups;

/** The list of groups, or one of them. */
export function Groups({ place }: ViewOfPlaceProps): ReactNode {
  const [, id] = place.path;
  return id === undefined ? <GroupList /> : <GroupView key={id} id={id} />;
}

const COLUMNS: readonly Column<ListedGroup>[] = [
  { id: 'name', title: texts.name, cell: ({ id, name }) => <a href={hrefOf(['groups', id])}>{name}</a> },
  { id: 'members', title: TEXTS.members, isNumber: true, cell: ({ members }) => numberText(members) },
  { id: 'id', title: TEXTS.id, cell: ({ id }) => <ShortId id={id} /> },
];

function GroupList(): ReactNode {
  const { client } = useService();
  const [isCreating, setCreating] = useState(false);
  const [isOfPolicy, setOfPolicy] = useState(false);
  const pages = usePages(['groups'], () => client.admin.groups());
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {TEXTS.create}
    </Button>
  );
  return (
    <View
      title={TEXTS.title}
      isFull={true}
      actions={create}
      menu={[{ text: TEXTS.policy.title, icon: UserCheck, act: () => setOfPolicy(true) }]}
    >
      <Loading loaded={pages.loaded}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyList texts={TEXTS} onCreate={() => setCreating(true)} />
          ) : (
            <DataTable label={TEXTS.title} name="groups" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
          )
        }
      </Loading>
      <Pager pages={pages} />
      {isCreating && <NewGroup onClose={() => setCreating(false)} />}
      {isOfPolicy && <GroupPolicy onClose={() => setOfPolicy(false)} />}
    </View>
  );
}

function NewGroup({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useService();
  const goOn = useGoOn();
  const [name, setName] = useState('');
  const { isBusy, error, run } = useAction();
  return (
    <FormDialog
      title={TEXTS.create}
      submit={texts.create}
      isDisabled={isBusy}
      onClose={onClose}
      onSubmit={() => run(async () => goOn(['groups', (await client.groups.create(name)).id]))}
    >
      <p className="muted">{TEXTS.createAbout}</p>
      <Field label={texts.name} value={name} onChange={setName} required={true} autoComplete="off" />
      <Failure error={error} />
    </FormDialog>
  );
}
