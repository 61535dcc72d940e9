import {
  type ChangeEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { texts } from '../texts.ts';
import { applyCompletion, type Completion } from '../values/completion.ts';
import { shownText } from '../values/lines.ts';
import { About, Problem, rowsOf, useLines } from './field.tsx';
import { Listbox, optionId, useChoice } from './listbox.tsx';

const CLOSED: Completion = { from: 0, options: [] };

interface ExpressionFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Returns the completions at a cursor. */
  readonly complete: (text: string, cursor: number) => Completion;
  readonly about?: string;
  readonly problem?: string | null;
  readonly placeholder?: string;
  /** Hides the label, which screen readers still read. */
  readonly isBare?: boolean;
  readonly ref?: Ref<ExpressionInput>;
}

export type ExpressionInput = HTMLInputElement | HTMLTextAreaElement;

/** Submits the form of a `textarea`, as Enter does in an input. */
function submit({ form }: HTMLTextAreaElement): void {
  const button = form?.querySelector<HTMLButtonElement>('[type=submit]');
  if (button) button.click();
  else form?.requestSubmit();
}

/** An input for an expression of the query language, with completion. */
export function ExpressionField(props: ExpressionFieldProps): ReactNode {
  const { label, onChange, complete, about, problem = null, placeholder, isBare = false, ref } = props;
  const value = shownText(props.value);
  const id = useId();
  const input = useRef<ExpressionInput>(null);
  useImperativeHandle(ref, () => input.current as ExpressionInput);
  const isLong = useLines(value);
  /** Cursor position to set after the completed text is rendered, before the next key; null: unchanged. */
  const caret = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });
  /** Position of the completion; null: closed. */
  const [cursor, setCursor] = useState<number | null>(null);
  const { from, options } = cursor === null ? CLOSED : complete(value, cursor);
  const isOpen = options.length > 0;

  function open(text: string): void {
    setActive(-1);
    setCursor(input.current?.selectionStart ?? text.length);
  }

  function pick(index: number): void {
    const option = options[index];
    const { current } = input;
    if (option === undefined || current === null) return;
    const [text, after] = applyCompletion(value, current.selectionStart ?? value.length, from, option);
    onChange(text);
    setActive(-1);
    setCursor(after);
    caret.current = after;
  }

  const { active, setActive, onKey } = useChoice(options.length, -1, pick);
  const common = {
    id,
    placeholder,
    value,
    role: 'combobox',
    onChange: ({ target }: ChangeEvent<ExpressionInput>) => {
      onChange(target.value);
      open(target.value);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (onKey(event)) return;
      if (event.key === 'ArrowDown') open(value);
      if (event.key === 'Escape' || event.key === 'Enter') setCursor(null);
      if (event.key !== 'Enter' || event.shiftKey || !(input.current instanceof HTMLTextAreaElement)) return;
      event.preventDefault();
      submit(input.current);
    },
    onBlur: () => setCursor(null),
    spellCheck: false,
    autoCapitalize: 'off',
    autoComplete: 'off',
    'aria-autocomplete': 'list',
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? `${id}-options` : undefined,
    'aria-activedescendant': isOpen && active >= 0 ? optionId(`${id}-options`, active) : undefined,
    'aria-invalid': problem !== null,
    'aria-describedby': `${about === undefined ? '' : `${id}-about `}${id}-problem`,
  } as const;
  return (
    <div className={isBare ? 'field bare' : 'field'}>
      <label htmlFor={id}>{label}</label>
      <div className="combobox">
        {isLong ? (
          <textarea
            {...common}
            ref={(element) => {
              input.current = element;
            }}
            className="code growing"
            rows={rowsOf(value)}
          />
        ) : (
          <input
            {...common}
            ref={(element) => {
              input.current = element;
            }}
            type="text"
            className="code"
          />
        )}
        {isOpen && (
          <Listbox
            id={`${id}-options`}
            label={texts.documents.completions}
            options={options.map((option) => ({ key: option, content: option }))}
            active={active}
            onPick={pick}
          />
        )}
      </div>
      {about !== undefined && <About id={`${id}-about`} text={about} />}
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}
