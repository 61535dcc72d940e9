import { useLiveQuery } from '@baobab/client/react';
import { useState } from 'react';
import { baobab, boards, comments, tasks } from './baobab.ts';
import { Files } from './files.tsx';
import { type Board, COLUMNS, type Task } from './types.ts';
import { useAction } from './use-action.ts';

export function BoardView({ board, me }: { readonly board: Board; readonly me: string }) {
  // With the filter, the server reads only the tasks of this board.
  const { rows = [] } = useLiveQuery(tasks.query().where('board = ?', board.id));
  const { run, submit, error } = useAction();
  const add = (form: FormData) =>
    tasks.create({ board: board.id, title: `${form.get('title')}`, column: 'open', assignee: me });
  return (
    <main>
      <h2>{board.title}</h2>
      <p role="alert">{error}</p>
      <form onSubmit={submit(add)}>
        <input name="title" aria-label="New task" placeholder="New task" required />
        <button type="submit">Add task</button>
      </form>
      <div className="columns">
        {COLUMNS.map((column) => (
          <section key={column} aria-label={column}>
            <h3>{column}</h3>
            {rows
              .filter((task) => task.column === column)
              .map((task) => (
                <TaskView key={task.id} task={task} run={run} />
              ))}
          </section>
        ))}
      </div>
      {board._author === me && <Members board={board} />}
    </main>
  );
}

interface TaskProps {
  readonly task: Task;
  readonly run: ReturnType<typeof useAction>['run'];
}

function TaskView({ task, run }: TaskProps) {
  const { id, title, column, assignee } = task;
  const { rows = [] } = useLiveQuery(comments.query().where('task = ?', id));
  const { submit } = useAction();
  return (
    <article aria-label={title}>
      <h4>{title}</h4>
      <small>{assignee}</small>
      <select
        aria-label={`Column of ${title}`}
        value={column}
        onChange={({ target }) => run(() => tasks.update(id, { column: target.value as Task['column'] }))}
      >
        {COLUMNS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <button type="button" aria-label={`Delete ${title}`} onClick={() => run(() => tasks.remove(id))}>
        Delete
      </button>
      <Files task={task} run={run} />
      {rows.map((comment) => (
        <p key={comment.id}>
          <b>{comment._author}</b> {comment.text}
        </p>
      ))}
      <form onSubmit={submit((form) => comments.create({ task: id, text: `${form.get('text')}` }))}>
        <input name="text" aria-label={`Comment on ${title}`} placeholder="Comment" required />
      </form>
    </article>
  );
}

/** Controls for the owner of a board: an invitation by code, and the members. */
function Members({ board }: { readonly board: Board }) {
  const [code, setCode] = useState('');
  const [names, setNames] = useState<readonly string[]>([]);
  const { run, error } = useAction();
  const load = async () => {
    const { rows } = await baobab.groups.members(board.group).page();
    setNames(rows.map(({ name }) => name).filter((name) => name !== board._author));
  };
  return (
    <section aria-label="Members">
      <button
        type="button"
        onClick={() => run(async () => setCode((await baobab.groups.invite(board.group, { uses: 10 })).code))}
      >
        Invite
      </button>
      <output>{code}</output>
      <button type="button" onClick={() => run(load)}>
        Show members
      </button>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          onClick={() => run(() => baobab.groups.removeMember(board.group, name).then(load))}
        >
          Remove {name}
        </button>
      ))}
      {/* Tasks go with the board, and their comments and files with them. */}
      <button type="button" onClick={() => run(() => boards.remove(board.id))}>
        Delete board
      </button>
      <p role="alert">{error}</p>
    </section>
  );
}
