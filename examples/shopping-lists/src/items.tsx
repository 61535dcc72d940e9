import { addItem, changeItem, type Item, type List, removeItem, removeList, useItems } from './data.ts';
import { Failure } from './failure.tsx';
import { useAction, useForm } from './hooks.ts';
import { Photo } from './photo.tsx';
import { Sharing } from './sharing.tsx';

interface ItemsProps {
  readonly list: List;
  readonly me: string;
}

/** A list and its items. */
export function Items({ list, me }: ItemsProps) {
  const items = useItems(list.id) ?? [];
  const form = useForm((data) => addItem(list, `${data.get('title')}`));
  const { run, error: refused } = useAction();
  return (
    <section className="items">
      <h2>{list.title}</h2>
      <ul>
        {items.map((item) => (
          <Row key={item.id} item={item} list={list} run={run} />
        ))}
      </ul>
      <form className="row" onSubmit={form.submit}>
        <input name="title" aria-label="New item" placeholder="New item" maxLength={100} required />
        <button type="submit" disabled={form.isBusy}>
          Add item
        </button>
      </form>
      <Failure message={form.error ?? refused} />
      <Sharing list={list} items={items} me={me} />
      {list._author === me && (
        <button type="button" className="danger" onClick={() => run(() => removeList(list, items))}>
          Delete the list
        </button>
      )}
    </section>
  );
}

interface RowProps {
  readonly item: Item;
  readonly list: List;
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

function Row({ item, list, run }: RowProps) {
  const { id, title, done } = item;
  return (
    <li>
      <label>
        <input type="checkbox" checked={done} onChange={() => run(() => changeItem(id, { done: !done }))} />
        <span>{title}</span>
      </label>
      <Photo item={item} list={list} />
      <button type="button" aria-label={`Remove ${title}`} onClick={() => run(() => removeItem(id))}>
        ✕
      </button>
    </li>
  );
}
