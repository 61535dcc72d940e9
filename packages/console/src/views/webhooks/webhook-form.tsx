import type { NewWebhook, Webhook } from '@baobab/client/admin';
import { type ReactNode, useCallback, useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { Loading } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';

const TEXTS = texts.webhooks;
const TYPES = ['put', 'gone'] as const;

interface WebhookFormProps {
  /** Initial settings. */
  readonly webhook?: Webhook;
  readonly submit: string;
  readonly save: (settings: NewWebhook) => Promise<unknown>;
  readonly onCancel?: () => void;
}

/** Returns the list with or without the value. */
function toggled<T>(list: readonly T[], value: T, isIn: boolean): readonly T[] {
  return isIn ? [...list, value] : list.filter((one) => one !== value);
}

interface ChecksProps<T extends string> {
  readonly legend: string;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly value: readonly T[];
  readonly onChange: (value: readonly T[]) => void;
}

function Checks<T extends string>({ legend, options, value, onChange }: ChecksProps<T>): ReactNode {
  return (
    <fieldset className="checks">
      <legend>{legend}</legend>
      {options.map(([one, text]) => (
        <label key={one}>
          <input
            type="checkbox"
            checked={value.includes(one)}
            onChange={({ target }) => onChange(toggled(value, one, target.checked))}
          />{' '}
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** Settings of a new or existing webhook. */
export function WebhookForm({ webhook, submit, save, onCancel }: WebhookFormProps): ReactNode {
  const { client } = useService();
  const collections = useLoad(
    useCallback((signal: AbortSignal) => client.admin.collections.names({ signal }), [client]),
  );
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [names, setNames] = useState<readonly string[]>(webhook?.collections ?? []);
  const [types, setTypes] = useState<readonly ('put' | 'gone')[]>(webhook?.types ?? TYPES);
  const [where, setWhere] = useState(webhook?.where ?? '');
  const [isSaved, setSaved] = useState(false);
  const { isBusy, error, run } = useAction();
  const settings = { url, description, collections: names, types, where: where.trim() === '' ? null : where.trim() };
  return (
    <form
      onChange={() => setSaved(false)}
      onSubmit={async (event) => {
        event.preventDefault();
        if (await run(() => save(settings))) setSaved(true);
      }}
    >
      <Field label={TEXTS.url} value={url} onChange={setUrl} required={true} autoComplete="off" />
      <Field label={TEXTS.description} value={description} onChange={setDescription} autoComplete="off" />
      <Loading loaded={collections}>
        {(all) =>
          all.length === 0 ? (
            <p>{TEXTS.noCollections}</p>
          ) : (
            <Checks
              legend={TEXTS.collections}
              options={all.map((name) => [name, name] as const)}
              value={names}
              onChange={setNames}
            />
          )
        }
      </Loading>
      <Checks
        legend={TEXTS.types}
        options={TYPES.map((type) => [type, TEXTS[type]] as const)}
        value={types}
        onChange={setTypes}
      />
      <Field label={TEXTS.where} about={TEXTS.whereAbout} value={where} onChange={setWhere} autoComplete="off" />
      <Failure error={error} />
      <div className="row">
        <button type="submit" className="main" disabled={isBusy || names.length === 0 || types.length === 0}>
          {submit}
        </button>
        {onCancel !== undefined && (
          <button type="button" onClick={onCancel}>
            {texts.cancel}
          </button>
        )}
        {webhook !== undefined && <span role="status">{isSaved ? texts.saved : ''}</span>}
      </div>
    </form>
  );
}
