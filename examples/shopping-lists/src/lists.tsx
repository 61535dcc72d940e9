import { addList, type List } from './data.ts';
import { Failure } from './failure.tsx';
import { useForm } from './hooks.ts';

interface ListsProps {
  readonly lists: readonly List[] | undefined;
  readonly error: string | undefined;
  /** The id of the list that is open. */
  readonly place: string;
}

export function Lists({ lists, error, place }: ListsProps) {
  const form = useForm((data) => addList(`${data.get('title')}`));
  return (
    <section className="lists">
      <h2>Your lists</h2>
      {lists === undefined && <p>{error ?? 'Loading…'}</p>}
      <ul>
        {lists?.map(({ id, title, group }) => (
          <li key={id}>
            <a href={`#${id}`} aria-current={id === place ? 'page' : undefined}>
              {title}
            </a>
            {group !== undefined && <small>shared</small>}
          </li>
        ))}
      </ul>
      <form className="row" onSubmit={form.submit}>
        <input name="title" aria-label="New list" placeholder="New list" maxLength={100} required />
        <button type="submit" disabled={form.isBusy}>
          Add list
        </button>
      </form>
      <Failure message={form.error} />
    </section>
  );
}
