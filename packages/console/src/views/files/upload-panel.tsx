import { type ReactNode, useId, useSyncExternalStore } from 'react';
import { messageOf } from '../../parts/failure.tsx';
import { texts } from '../../texts.ts';
import { isIdle, type Uploads } from './uploads.ts';

const TEXTS = texts.files;

/** File input for one or more uploads, which also accepts dropped files. */
export function UploadField({ uploads }: { readonly uploads: Uploads }): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{TEXTS.upload}</label>
      <div id={`${id}-about`} className="dim">
        {TEXTS.uploadAbout}
      </div>
      <input
        id={id}
        type="file"
        multiple={true}
        aria-describedby={`${id}-about`}
        onChange={({ target }) => {
          uploads.add(Array.from(target.files ?? []));
          target.value = '';
        }}
      />
    </div>
  );
}

/** Uploads in progress and failed ones; empty if there are none. */
export function UploadPanel({ uploads }: { readonly uploads: Uploads }): ReactNode {
  const state = useSyncExternalStore(uploads.subscribe, uploads.state);
  const { sending, waiting, done, failed, failures } = state;
  const isOver = isIdle(state);
  if (isOver && done + failed === 0) return null;
  return (
    <section className="card" aria-label={TEXTS.uploads}>
      <h2>{TEXTS.uploads}</h2>
      <p role="status">{TEXTS.uploadState(done, sending.length + waiting)}</p>
      <ul className="plain">
        {sending.map(({ key, name, sent, total }) => (
          <li key={key} className="row">
            <span className="name">{name}</span>
            <progress aria-label={texts.parts.progress(name)} value={Math.min(sent, total)} max={Math.max(total, 1)} />
            <button type="button" aria-label={TEXTS.abortOf(name)} onClick={() => uploads.abort(key)}>
              {TEXTS.abort}
            </button>
          </li>
        ))}
      </ul>
      {failed > 0 && (
        <div role="alert" className="failure">
          <p>{TEXTS.failed(failed)}</p>
          <ul>
            {failures.map(({ key, name, error }) => (
              <li key={key}>
                {name}: {messageOf(error)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {isOver ? (
        <button type="button" onClick={uploads.clear}>
          {TEXTS.hide}
        </button>
      ) : (
        <button type="button" onClick={uploads.abortAll}>
          {TEXTS.abortAll}
        </button>
      )}
    </section>
  );
}
