import { addList, type List } from './data.ts';
import { Failure } from './failure.tsx';
import { useForm } from './hooks.ts';

interface ListsProps {
  readonly lists: readonly List[] | undefined;
  /** Id of the open list. */
  readonly open: string | undefined;
}

export function Lists({ lists, open }: ListsProps) {
  const form = useForm((data) => addList(`${data.get('title')}`));
  return (
    <section className="lists">
      <h2>Your lists</h2>
      <ul>
        {lists?.map(({ id, title, group }) => (
          <li key={id}>
            <a href={`#${id}`} aria-current={id === open ? 'page' : undefined}>
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
