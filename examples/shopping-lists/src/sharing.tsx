import { useOffline } from '@baobab/client/react';
import { offline } from './baobab.ts';
import { groupsOfMine, type Item, type List, shareList } from './data.ts';
import { Failure } from './failure.tsx';
import { useForm, useLoaded, useOnline } from './hooks.ts';

interface SharingProps {
  readonly list: List;
  readonly items: readonly Item[];
  readonly me: string;
}

/** The other members of a list. Its owner can share it. */
export function Sharing({ list, items, me }: SharingProps) {
  const isOnline = useOnline();
  const { waiting } = useOffline(offline);
  const { value: groups = [] } = useLoaded(groupsOfMine);
  const form = useForm((data) => shareList(list, items, `${data.get('group')}`));

  if (list.group !== undefined) {
    const name = groups.find(({ id }) => id === list.group)?.name ?? 'a group';
    return (
      <p>
        Shared with {name} by {list._author}
      </p>
    );
  }
  // Sharing happens on the server, so everything must be synced first.
  if (list._author !== me || !isOnline || waiting > 0) return null;
  if (groups.length === 0) {
    return (
      <p>
        To share this list, <a href="#groups">create a group</a>.
      </p>
    );
  }
  return (
    <form className="row" onSubmit={form.submit}>
      <label>
        Share with{' '}
        <select name="group">
          {groups.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" disabled={form.isBusy}>
        Share
      </button>
      <Failure message={form.error} />
    </form>
  );
}
