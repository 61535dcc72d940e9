import type { ListedGroup } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Loading, Pager, Table, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { GroupView } from './group.tsx';

const TEXTS = texts.groups;

/** The list of groups, or one of them. */
export function Groups({ place }: ViewOfPlaceProps): ReactNode {
  const [, id] = place.path;
  return id === undefined ? <GroupList /> : <GroupView key={id} id={id} />;
}

function GroupList(): ReactNode {
  const { client } = useService();
  const [isCreating, setCreating] = useState(false);
  const query = useCallback(() => client.admin.groups(), [client]);
  const { loaded, page, toNext, toFirst } = usePages(query);
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" className="main" onClick={() => setCreating(true)}>
          {TEXTS.create}
        </button>
      }
    >
      <Loading loaded={loaded}>
        {({ rows, next }) => (
          <>
            {rows.length === 0 ? <p>{TEXTS.none}</p> : <GroupTable groups={rows} />}
            <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
          </>
        )}
      </Loading>
      {isCreating && <NewGroup onClose={() => setCreating(false)} />}
    </View>
  );
}

function GroupTable({ groups }: { readonly groups: readonly ListedGroup[] }): ReactNode {
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col" className="number">
            {TEXTS.members}
          </th>
          <th scope="col">{TEXTS.id}</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ id, name, members }) => (
          <tr key={id}>
            <th scope="row">
              <a href={hrefOf(['groups', id])}>{name}</a>
            </th>
            <td className="number">{members}</td>
            <td className="id">{id}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function NewGroup({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useService();
  const [name, setName] = useState('');
  const { isBusy, error, run } = useAction();
  return (
    <Dialog title={TEXTS.create} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          return run(async () => go(['groups', (await client.groups.create(name)).id]));
        }}
      >
        <p className="dim">{TEXTS.createAbout}</p>
        <Field label={texts.name} value={name} onChange={setName} required={true} autoComplete="off" />
        <Failure error={error} />
        <div className="row">
          <button type="submit" className="main" disabled={isBusy}>
            {texts.create}
          </button>
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
