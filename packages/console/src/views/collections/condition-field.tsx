import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Listbox, optionId, useChoice } from '../../parts/listbox.tsx';
import { texts } from '../../texts.ts';
import { applyCompletion, type Completion, completeCondition } from '../../values/completion.ts';

const TEXTS = texts.documents;
const CLOSED: Completion = { from: 0, options: [] };

interface ConditionFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Problem of the last applied filter. */
  readonly problem: string | null;
  /** Names to complete. */
  readonly paths: readonly string[];
}

/** An input for a filter, with completion. */
export function ConditionField({ value, onChange, problem, paths }: ConditionFieldProps): ReactNode {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  /** Cursor position to set after the completed text is rendered, before the next key; null: unchanged. */
  const caret = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });
  /** Position of the completion; null: closed. */
  const [cursor, setCursor] = useState<number | null>(null);
  const { from, options } = cursor === null ? CLOSED : completeCondition(value, cursor, paths);
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
  return (
    <div className="field combobox">
      <label htmlFor={id}>{TEXTS.where}</label>
      <div id={`${id}-about`} className="dim">
        {TEXTS.whereAbout}
      </div>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        value={value}
        onChange={({ target }) => {
          onChange(target.value);
          open(target.value);
        }}
        onKeyDown={(event) => {
          if (onKey(event)) return;
          if (event.key === 'ArrowDown') open(value);
          if (event.key === 'Escape' || event.key === 'Enter') setCursor(null);
        }}
        onBlur={() => setCursor(null)}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-options` : undefined}
        aria-activedescendant={isOpen && active >= 0 ? optionId(`${id}-options`, active) : undefined}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-about ${id}-problem`}
      />
      {isOpen && (
        <Listbox
          id={`${id}-options`}
          label={TEXTS.completions}
          options={options.map((option) => ({ key: option, content: option }))}
          active={active}
          onPick={pick}
        />
      )}
      <div id={`${id}-problem`}>
        {problem !== null && (
          <span role="alert" className="problem">
            {problem}
          </span>
        )}
      </div>
    </div>
  );
}
