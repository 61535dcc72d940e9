import { Copy } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { texts } from '../texts.ts';
import { clientCodeOf } from '../values/client-code.ts';
import { curlOf } from '../values/curl.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { KEYBOARD } from './keyboard.ts';
import { useService } from './service.ts';

const TEXTS = texts.code;

/** The requests of the view, as commands and as code, without the token. */
export function CodeDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { requests, session, url, appCode } = useService();
  const id = useId();
  const [sent] = useState(requests.list);
  const [chosen, setChosen] = useState(0);
  const request = sent[chosen];
  return (
    <Dialog title={TEXTS.title} kind="dialog wide" onClose={onClose}>
      <div className="overlay-body">
        {request === undefined ? (
          <p>{TEXTS.none}</p>
        ) : (
          <>
            <div className="field">
              <label htmlFor={id}>{TEXTS.request}</label>
              <select id={id} value={chosen} onChange={({ target }) => setChosen(Number(target.value))}>
                {sent.map(({ method, path, body }, index) => (
                  <option key={`${method} ${path} ${body}`} value={index}>
                    {method} {path.split('?')[0]}
                  </option>
                ))}
              </select>
            </div>
            <Snippet
              label={TEXTS.client}
              about={TEXTS.clientAbout}
              text={clientCodeOf(request, { url, appCode, username: session.user.username })}
            />
            <Snippet label={TEXTS.curl} about={TEXTS.curlAbout} text={curlOf(request, { url, appCode })} />
          </>
        )}
      </div>
    </Dialog>
  );
}

interface SnippetProps {
  readonly label: string;
  readonly about: string;
  readonly text: string | null;
}

/** Code to copy. */
export function Snippet({ label, about, text }: SnippetProps): ReactNode {
  const [isCopied, setCopied] = useState(false);
  if (text === null) return <p className="muted">{TEXTS.noCall}</p>;
  return (
    <section aria-label={label} className="stack">
      <div className="label-row">
        <h3>{label}</h3>
        {/* Browsers provide a clipboard only on secure pages. */}
        {navigator.clipboard !== undefined && (
          <span className="row">
            <span role="status" className="meta">
              {isCopied ? TEXTS.copied : ''}
            </span>
            <Button
              icon={Copy}
              isSmall={true}
              aria-label={TEXTS.copyOf(label)}
              onClick={() =>
                navigator.clipboard.writeText(text).then(
                  () => setCopied(true),
                  () => setCopied(false),
                )
              }
            >
              {TEXTS.copy}
            </Button>
          </span>
        )}
      </div>
      <p className="meta">{about}</p>
      <pre {...KEYBOARD}>{text}</pre>
    </section>
  );
}
