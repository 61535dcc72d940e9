import type { PresenceOptions } from '@baobab/client';
import type { Setting } from '@baobab/client/admin';
import { type ReactNode, useId, useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';

const TEXTS = texts.settings;
const DETAILS = texts.settingDetails;

interface InputProps {
  readonly id: string;
  readonly type: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The server never returns secrets; an entered value replaces the stored one. */
const isSecret = (type: string) => type === 'Secret';

/** An input for the type of the setting. */
function SettingInput({ id, type, value, onChange }: InputProps): ReactNode {
  const common = { id, value, 'aria-describedby': `${id}-about` };
  if (type === 'Boolean') {
    return (
      <select {...common} onChange={(event) => onChange(event.target.value)}>
        <option value="true">{TEXTS.on}</option>
        <option value="false">{TEXTS.off}</option>
      </select>
    );
  }
  if (type === 'Text') {
    return <textarea {...common} className="code" rows={6} onChange={(event) => onChange(event.target.value)} />;
  }
  return (
    <input
      {...common}
      type={isSecret(type) ? 'password' : 'text'}
      inputMode={type === 'Integer' ? 'numeric' : undefined}
      autoComplete={isSecret(type) ? 'new-password' : 'off'}
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Accepted values and default of a setting. */
function Expectations({ setting }: Pick<SettingFormProps, 'setting'>): ReactNode {
  const { type, expected, default_value: initial } = setting;
  return (
    <p>
      {DETAILS.expected(expected)} {!isSecret(type) && initialText(initial)}
    </p>
  );
}

function initialText(initial: string): string {
  if (initial === '') return DETAILS.initialEmpty;
  return initial.includes('\n') ? DETAILS.initialLong : DETAILS.initial(initial);
}

interface SettingFormProps {
  readonly section: string;
  readonly setting: Setting;
}

export function SettingForm({ section, setting }: SettingFormProps): ReactNode {
  const { key, value, description, type } = setting;
  const { settings } = useService().client.admin;
  const id = useId();
  const initial = isSecret(type) ? '' : value;
  const [stored, setStored] = useState(initial);
  const [edited, setEdited] = useState(initial);
  const [isSet, setIsSet] = useState(value !== '');
  const [isSaved, setSaved] = useState(false);
  const { isBusy, error, field, run } = useFreshAction();

  async function save(presence: PresenceOptions): Promise<void> {
    await settings.set(section, key, edited, presence);
    setIsSet(edited !== '');
    setStored(isSecret(type) ? '' : edited);
    if (isSecret(type)) setEdited('');
    setSaved(true);
  }

  const isSame = edited === stored && !(isSecret(type) && isSet);
  return (
    <form
      className="card setting"
      onSubmit={(event) => {
        event.preventDefault();
        return run(save);
      }}
    >
      <label htmlFor={id}>{key}</label>
      <div id={`${id}-about`} className="dim">
        <span>{description}</span> <span className="type">({type})</span>
        <Expectations setting={setting} />
        {isSecret(type) && <p>{isSet ? TEXTS.secret : TEXTS.unset}</p>}
      </div>
      <SettingInput
        id={id}
        type={type}
        value={edited}
        onChange={(text) => {
          setSaved(false);
          setEdited(text);
        }}
      />
      {field}
      <Failure error={error} />
      <div className="row">
        <button type="submit" disabled={isBusy || isSame} aria-label={TEXTS.saveOf(key)}>
          {texts.save}
        </button>
        {!isSecret(type) && edited !== setting.default_value && (
          <button
            type="button"
            disabled={isBusy}
            aria-label={DETAILS.revertOf(key)}
            onClick={() => {
              setSaved(false);
              setEdited(setting.default_value);
            }}
          >
            {DETAILS.revert}
          </button>
        )}
        <span role="status">{isSaved ? texts.saved : ''}</span>
      </div>
    </form>
  );
}
