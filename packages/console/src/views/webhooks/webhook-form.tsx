import type { PresenceOptions } from '@baobab/client';
import type { NewWebhook as Settings, Webhook, WebhookChange } from '@baobab/client/admin';
import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { Loading } from '../../parts/view.tsx';
import { useUnsaved } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';

const TEXTS = texts.webhooks;
const TYPES = ['put', 'gone'] as const;

/** The edited settings. */
interface Draft {
  readonly url: string;
  readonly description: string;
  readonly collections: readonly string[];
  readonly types: readonly ('put' | 'gone')[];
  /** Empty: all documents. */
  readonly where: string;
}

const NEW: Draft = { url: '', description: '', collections: [], types: TYPES, where: '' };

const draftOf = ({ url, description, collections, types, where }: Webhook): Draft => ({
  url,
  description,
  collections,
  types,
  where: where ?? '',
});

const settingsOf = (draft: Draft): Settings => {
  const where = draft.where.trim();
  return { ...draft, where: where === '' ? null : where };
};

/** Returns the settings that differ. */
const changeOf = (before: Settings, after: Settings): WebhookChange =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Settings]),
    ),
  );

const isComplete = ({ collections, types }: Draft) => collections.length > 0 && types.length > 0;

interface ChecksProps<T extends string> {
  readonly legend: string;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly value: readonly T[];
  readonly onChange: (value: readonly T[]) => void;
}

function Checks<T extends string>({ legend, options, value, onChange }: ChecksProps<T>): ReactNode {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div className="check-list">
        {options.map(([one, text]) => (
          <label key={one}>
            <input
              type="checkbox"
              checked={value.includes(one)}
              onChange={({ target }) =>
                onChange(target.checked ? [...value, one] : value.filter((other) => other !== one))
              }
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

function Fields({ draft, onChange }: FieldsProps): ReactNode {
  const { client } = useService();
  const names = useLoad(['collections', 'names'], (signal) => client.admin.collections.names({ signal }));
  const set =
    <N extends keyof Draft>(name: N) =>
    (value: Draft[N]) =>
      onChange({ ...draft, [name]: value });
  return (
    <>
      <Field label={TEXTS.url} value={draft.url} onChange={set('url')} required={true} autoComplete="off" />
      <Field label={TEXTS.description} value={draft.description} onChange={set('description')} autoComplete="off" />
      <Loading loaded={names}>
        {(all) =>
          all.length === 0 ? (
            <p className="notice">{TEXTS.noCollections}</p>
          ) : (
            <Checks
              legend={TEXTS.collections}
              options={all.map((name) => [name, name] as const)}
              value={draft.collections}
              onChange={set('collections')}
            />
          )
        }
      </Loading>
      <Checks
        legend={TEXTS.types}
        options={TYPES.map((type) => [type, TEXTS[type]] as const)}
        value={draft.types}
        onChange={set('types')}
      />
      <Field
        label={TEXTS.where}
        about={TEXTS.whereAbout}
        value={draft.where}
        onChange={set('where')}
        autoComplete="off"
      />
    </>
  );
}

interface NewWebhookProps {
  readonly save: (settings: Settings, presence: PresenceOptions) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Dialog for a new webhook. */
export function NewWebhook({ save, onClose }: NewWebhookProps): ReactNode {
  const [draft, setDraft] = useState(NEW);
  const { isBusy, error, field, run } = useFreshAction();
  return (
    <FormDialog
      title={TEXTS.create}
      submit={texts.create}
      isDisabled={isBusy || !isComplete(draft)}
      onClose={onClose}
      onSubmit={() => run((presence) => save(settingsOf(draft), presence))}
    >
      <Fields draft={draft} onChange={setDraft} />
      {field}
      <Failure error={error} />
    </FormDialog>
  );
}

interface WebhookFormProps {
  readonly webhook: Webhook;
  readonly save: (change: WebhookChange, presence: PresenceOptions) => Promise<unknown>;
}

/** Settings of an existing webhook. */
export function WebhookForm({ webhook, save }: WebhookFormProps): ReactNode {
  const [stored, setStored] = useState(() => draftOf(webhook));
  const [draft, setDraft] = useState(stored);
  const { isBusy, error, field, run } = useFreshAction();
  const isDirty = JSON.stringify(draft) !== JSON.stringify(stored);
  useUnsaved(isDirty);
  return (
    <form
      className="form"
      onSubmit={async (event) => {
        event.preventDefault();
        if (!(await run((presence) => save(changeOf(settingsOf(stored), settingsOf(draft)), presence)))) return;
        setStored(draft);
        toast(texts.saved);
      }}
    >
      <Fields draft={draft} onChange={setDraft} />
      {field}
      <Failure error={error} />
      <div className="row">
        <Button type="submit" kind="primary" disabled={isBusy || !isDirty || !isComplete(draft)}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}
