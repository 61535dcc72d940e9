import { type ReactNode, useId } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { numberText } from '../../values/format.ts';
import { hasLines, shownText, withBreaksOf } from '../../values/lines.ts';
import { ownOf } from '../../values/own.ts';
import { helpOf, rangeOf, shortKeyOf } from '../../values/setting-pages.ts';
import type { PlacedSetting } from './settings.tsx';

const TEXTS = texts.settings;

/** The server never returns secrets; an entered value replaces the stored one. */
export const isSecret = (type: string): boolean => type === 'Secret';

/** Expected values that the help or the input itself says. */
const PLAIN = new Set(['a text', 'one line', 'true or false', 'a whole number']);

interface SettingFieldProps {
  readonly setting: PlacedSetting;
  readonly value: string;
  readonly isChanged: boolean;
  /** Reason why the server refused the value. */
  readonly problem: string | null;
  readonly onChange: (value: string) => void;
  /** Forgets the change. */
  readonly onClear: () => void;
}

/** Meaning, accepted values and default of a setting. */
function helpText({ key, type, description, expected, default_value: initial }: PlacedSetting): string {
  const range = rangeOf(expected);
  const translated = ownOf(texts.settingHelp, key);
  const parts = [translated ?? helpOf(description)];
  const isSaid =
    translated !== undefined || PLAIN.has(expected) || choicesOf(expected).length > 0 || description.includes(expected);
  if (range !== null) parts.push(TEXTS.range(numberText(range[0]), numberText(range[1])));
  else if (!isSaid) parts.push(expected);
  if (!isSecret(type) && type !== 'Boolean' && initial !== '' && !initial.includes('\n'))
    parts.push(TEXTS.initial(initial));
  return parts.join(' · ');
}

/** One setting with its title, its help and its key. */
export function SettingField(props: SettingFieldProps): ReactNode {
  const { setting, value, isChanged, problem, onChange, onClear } = props;
  const { key, type, default_value: initial } = setting;
  const id = useId();
  const title = ownOf(texts.settingTitles, key) ?? shortKeyOf(key);
  const about = `${id}-about ${id}-problem`;
  const isReset = !isSecret(type) && type !== 'Boolean' && value !== initial;
  return (
    <div className="field">
      <div className="label-row">
        {type === 'Boolean' ? (
          <label className="check">
            <input
              type="checkbox"
              className="switch"
              checked={value === 'true'}
              aria-describedby={about}
              onChange={({ target }) => onChange(String(target.checked))}
            />
            {title}
          </label>
        ) : (
          <label htmlFor={id}>{title}</label>
        )}
        <code>{key}</code>
      </div>
      {type !== 'Boolean' && (
        <SettingInput id={id} about={about} isInvalid={problem !== null} {...{ setting, value, onChange }} />
      )}
      <div className="row" id={`${id}-about`}>
        <span className="meta">{helpText(setting)}</span>
        {isSecret(type) && (
          <>
            <Badge tone={setting.value === '' ? 'neutral' : 'ok'}>
              {setting.value === '' ? TEXTS.unset : TEXTS.isSet}
            </Badge>
            {isChanged ? (
              <Button kind="ghost" isSmall={true} aria-label={TEXTS.keepOf(title)} onClick={onClear}>
                {TEXTS.keep}
              </Button>
            ) : (
              setting.value !== '' && (
                <Button kind="ghost" isSmall={true} aria-label={TEXTS.clearOf(title)} onClick={() => onChange('')}>
                  {TEXTS.clear}
                </Button>
              )
            )}
            {isChanged && value === '' && <span className="meta">{TEXTS.willClear}</span>}
          </>
        )}
        {isReset && (
          <Button kind="ghost" isSmall={true} aria-label={TEXTS.revertOf(title)} onClick={() => onChange(initial)}>
            {TEXTS.revert}
          </Button>
        )}
      </div>
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

interface SettingInputProps extends Pick<SettingFieldProps, 'setting' | 'value' | 'onChange'> {
  readonly id: string;
  readonly about: string;
  readonly isInvalid: boolean;
}

/** Choices that the server describes as a list of words. */
function choicesOf(expected: string): readonly string[] {
  const words = expected.split(/, | or /);
  return words.length > 1 && words.every((word) => /^[a-z]+$/.test(word)) ? words : [];
}

/** An input for the type of the setting. */
function SettingInput({ id, about, isInvalid, setting, value, onChange }: SettingInputProps): ReactNode {
  const { type, expected } = setting;
  const common = { id, value, 'aria-describedby': about, 'aria-invalid': isInvalid };
  const choices = type === 'String' ? choicesOf(expected) : [];
  if (choices.length > 0) {
    return (
      <select {...common} onChange={({ target }) => onChange(target.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (
    type === 'Text' ||
    hasLines(setting.value) ||
    (isSecret(type) && expected === 'a text' && /account|ios\.key$/.test(setting.key))
  ) {
    return (
      <textarea
        {...common}
        value={shownText(value)}
        className="code"
        rows={isSecret(type) ? 3 : 8}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => onChange(withBreaksOf(setting.value, target.value))}
      />
    );
  }
  return (
    <input
      {...common}
      type={isSecret(type) ? 'password' : 'text'}
      inputMode={type === 'Integer' ? 'numeric' : undefined}
      autoComplete={isSecret(type) ? 'new-password' : 'off'}
      spellCheck={false}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
