import type { ServiceCheck, Statistics } from '@baobab/client/admin';
import { Circle, CircleCheck, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { pageStorage } from '../../page-storage.ts';
import { ICON_SIZE, IconButton } from '../../parts/button.tsx';
import { Snippet } from '../../parts/code-dialog.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { clientCodeOf } from '../../values/client-code.ts';

const TEXTS = texts.overview.steps;
const HIDDEN_KEY = 'baobab-console:steps-hidden';
/** Set once the administrator has opened the settings for followers. Their default may be the right choice. */
const FOLLOWERS_KEY = 'baobab-console:followers-seen';
const storage = pageStorage('localStorage');

interface FirstStepsProps {
  readonly checks: readonly ServiceCheck[];
  readonly statistics: Statistics;
}

/** The remaining steps on a new server. The list disappears when all is done, or when the user hides it. */
export function FirstSteps({ checks, statistics: { documents } }: FirstStepsProps): ReactNode {
  const { client, session, url, appCode } = useService();
  const application = useLoad(['settings', 'Application'], (signal) =>
    client.admin.settings.section('Application', { signal }),
  );
  const [isHidden, setHidden] = useState(() => storage.getItem(HIDDEN_KEY) !== null);
  const [first] = documents.collections;
  const isFine = (name?: ServiceCheck['check']) =>
    checks.every(({ check, state }) => state !== 'fault' || (name !== undefined && check !== name));
  const isPrivate = application.data?.find(({ key }) => key === 'followers.read.documents')?.value === 'false';
  const steps = [
    [TEXTS.password, isFine('password'), hrefOf(['health'])],
    [
      TEXTS.followers,
      isPrivate || storage.getItem(FOLLOWERS_KEY) !== null,
      hrefOf(['settings', 'general']),
      () => storage.setItem(FOLLOWERS_KEY, 'yes'),
    ],
    [TEXTS.collection, documents.collections.length > 0, hrefOf(['collections'], { new: 'on' })],
    [
      TEXTS.document,
      documents.count > 0,
      first === undefined ? hrefOf(['collections']) : hrefOf(['collections', first.name], { new: 'on' }),
    ],
    [TEXTS.live, isFine(), hrefOf(['health'])],
  ] as const;
  const done = steps.filter(([, isDone]) => isDone).length;
  if (isHidden || application.data === null || done === steps.length) return null;
  const request = { method: 'GET', path: `/document/${first?.name ?? 'notes'}`, body: null };
  return (
    <section className="card" aria-label={TEXTS.title}>
      <div className="label-row">
        <h2>{TEXTS.title}</h2>
        <span className="row meta">
          {TEXTS.progress(done, steps.length)}
          <IconButton
            icon={X}
            label={TEXTS.hide}
            isSmall={true}
            onClick={() => {
              storage.setItem(HIDDEN_KEY, 'yes');
              setHidden(true);
            }}
          />
        </span>
      </div>
      <ol className="stack">
        {steps.map(([text, isDone, href, onOpen]) => (
          <li key={text} className="row">
            {isDone ? (
              <CircleCheck className="tone-ok" size={ICON_SIZE} aria-label={TEXTS.done} />
            ) : (
              <Circle className="tone-muted" size={ICON_SIZE} aria-hidden={true} />
            )}
            {isDone ? (
              <span className="muted">{text}</span>
            ) : (
              <a href={href} onClick={onOpen}>
                {text}
              </a>
            )}
          </li>
        ))}
      </ol>
      <details>
        <summary>{TEXTS.client}</summary>
        <Snippet
          label={texts.code.client}
          about={texts.code.clientAbout}
          text={clientCodeOf(request, { url, appCode, username: session.user.username })}
        />
      </details>
    </section>
  );
}
