import { Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, JsonField, Select } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { Section } from '../../parts/view.tsx';
import { useGoOn, useUnsaved } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { formatJson, parseObject } from '../../values/json.ts';
import { type Draft, EMPTY_DRAFT, isCount, messageOf, namesIn } from '../../values/push.ts';

const TEXTS = texts.push;
const NO_DATA = '{}';

/** @param props.to user names, separated by commas; empty: the administrator */
export function Compose({ to }: { readonly to: string }): ReactNode {
  const { client, session } = useService();
  const [kind, setKind] = useState<'me' | 'users'>(to === '' ? 'me' : 'users');
  const [names, setNames] = useState(to);
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [custom, setCustom] = useState(NO_DATA);
  const [isAsking, setAsking] = useState(false);
  const { isBusy, error, run } = useAction();
  const goOn = useGoOn();
  useUnsaved(draft !== EMPTY_DRAFT || custom !== NO_DATA || names !== to);

  const data = parseObject(custom);
  const users = kind === 'me' ? [session.user.username] : namesIn(names);
  const isValid = 'value' in data && isCount(draft.badge) && isCount(draft.timeToLive) && users.length > 0;
  const message = messageOf(draft, 'value' in data ? data.value : {});
  const edit = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));

  async function send(): Promise<void> {
    const { id } = await client.push.send(users, message);
    goOn(['push', id]);
  }

  return (
    <div className="split">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (kind === 'me') void run(send);
          else setAsking(true);
        }}
      >
        <Select
          label={TEXTS.to}
          value={kind}
          onChange={setKind}
          options={[
            ['me', TEXTS.me],
            ['users', TEXTS.users],
          ]}
        />
        {kind === 'users' && (
          <Field label={TEXTS.names} value={names} onChange={setNames} required={true} autoComplete="off" />
        )}
        <Field label={TEXTS.text} value={draft.text} onChange={(text) => edit({ text })} required={true} />
        <More draft={draft} edit={edit} custom={custom} setCustom={setCustom} />
        <Failure error={error} />
        <div className="row">
          <Button type="submit" kind="primary" icon={Send} disabled={isBusy || !isValid}>
            {TEXTS.send}
          </Button>
        </div>
        {isAsking && (
          <Confirm
            title={TEXTS.confirm(users.length)}
            about={TEXTS.confirmAbout}
            act={send}
            onDone={() => setAsking(false)}
            onClose={() => setAsking(false)}
          />
        )}
      </form>
      <Section title={TEXTS.preview} isCard={true}>
        <div className="notification">
          <span aria-hidden="true" className="mark" />
          <p>{draft.text === '' ? <span className="muted">{TEXTS.previewEmpty}</span> : draft.text}</p>
          {draft.badge !== '' && isCount(draft.badge) && <Badge tone="danger">{draft.badge}</Badge>}
        </div>
        <h3>{TEXTS.sent}</h3>
        <pre>{formatJson({ ...message, users })}</pre>
      </Section>
    </div>
  );
}

interface MoreProps {
  readonly draft: Draft;
  readonly edit: (change: Partial<Draft>) => void;
  readonly custom: string;
  readonly setCustom: (custom: string) => void;
}

function More({ draft, edit, custom, setCustom }: MoreProps): ReactNode {
  const problemOf = (text: string) => (isCount(text) ? null : TEXTS.wholeNumber);
  return (
    <details>
      <summary>{TEXTS.more}</summary>
      <div className="form">
        <Field
          label={TEXTS.badge}
          value={draft.badge}
          onChange={(badge) => edit({ badge })}
          about={TEXTS.badgeAbout}
          problem={problemOf(draft.badge)}
        />
        <Field label={TEXTS.sound} value={draft.sound} onChange={(sound) => edit({ sound })} />
        <Field
          label={TEXTS.collapseKey}
          value={draft.collapseKey}
          onChange={(collapseKey) => edit({ collapseKey })}
          about={TEXTS.collapseKeyAbout}
        />
        <Field
          label={TEXTS.timeToLive}
          value={draft.timeToLive}
          onChange={(timeToLive) => edit({ timeToLive })}
          about={TEXTS.timeToLiveAbout}
          problem={problemOf(draft.timeToLive)}
        />
        <JsonField label={TEXTS.custom} value={custom} onChange={setCustom} rows={4} />
      </div>
    </details>
  );
}
