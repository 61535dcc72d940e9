import { Upload } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useSyncExternalStore } from 'react';
import { Button } from '../../parts/button.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { isIdle, type Uploads } from './uploads.ts';

const TEXTS = texts.files;

interface UploadButtonProps {
  readonly uploads: Uploads;
  /** Receives the hidden input, which opens the file chooser when clicked. */
  readonly chooser: RefObject<HTMLInputElement | null>;
}

/** Opens the file chooser for one or more uploads. */
export function UploadButton({ uploads, chooser }: UploadButtonProps): ReactNode {
  return (
    <>
      <input
        ref={chooser}
        className="only-read"
        type="file"
        multiple={true}
        tabIndex={-1}
        aria-label={TEXTS.choose}
        onChange={({ target }) => {
          uploads.add(Array.from(target.files ?? []));
          target.value = '';
        }}
      />
      <Button kind="primary" icon={Upload} onClick={() => chooser.current?.click()}>
        {TEXTS.upload}
      </Button>
    </>
  );
}

/** Adds files that are dropped anywhere on the page. */
export function useDrop(uploads: Uploads): void {
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault();
    function drop(event: DragEvent): void {
      event.preventDefault();
      uploads.add(Array.from(event.dataTransfer?.files ?? []));
    }
    addEventListener('dragover', allow);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', allow);
      removeEventListener('drop', drop);
    };
  }, [uploads]);
}

/** Uploads in progress and failed ones; empty if there are none. */
export function UploadPanel({ uploads }: { readonly uploads: Uploads }): ReactNode {
  const state = useSyncExternalStore(uploads.subscribe, uploads.state);
  const { sending, waiting, done, failed, failures } = state;
  const isOver = isIdle(state);
  if (isOver && done + failed === 0) return null;
  return (
    <Section title={TEXTS.uploads} isCard={true}>
      <p role="status">{TEXTS.uploadState(done, sending.length + waiting)}</p>
      <ul className="stack">
        {sending.map(({ key, name, sent, total }) => (
          <li key={key} className="stack">
            <div className="label-row">
              <span>{name}</span>
              <Button kind="ghost" isSmall={true} aria-label={TEXTS.abortOf(name)} onClick={() => uploads.abort(key)}>
                {texts.cancel}
              </Button>
            </div>
            <progress aria-label={texts.parts.progress(name)} value={Math.min(sent, total)} max={Math.max(total, 1)} />
          </li>
        ))}
      </ul>
      {failed > 0 && (
        <div role="alert" className="failure stack">
          <p>{TEXTS.failed(failed)}</p>
          <ul className="bullets">
            {failures.map(({ key, name, error }) => (
              <li key={key}>
                {name}: {messageOf(error)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div>
        <Button onClick={isOver ? uploads.clear : uploads.abortAll}>{isOver ? TEXTS.hide : TEXTS.abortAll}</Button>
      </div>
    </Section>
  );
}
