import { type ReactNode, useId, useRef, useState } from 'react';
import { texts } from '../texts.ts';

interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
  readonly about?: string;
}

/** A text to copy. Pages without HTTPS have no access to the clipboard; there, the text is selected. */
export function CopyField({ label, value, about }: CopyFieldProps): ReactNode {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [told, setTold] = useState('');

  async function copy(): Promise<void> {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setTold(texts.parts.copied);
    } catch {
      setTold(texts.parts.selected);
    }
  }

  return (
    <div className="row">
      <div className="field">
        <label htmlFor={id}>{label}</label>
        {about !== undefined && (
          <div id={`${id}-about`} className="dim">
            {about}
          </div>
        )}
        <input
          ref={input}
          id={id}
          className="code"
          readOnly={true}
          value={value}
          aria-describedby={about === undefined ? undefined : `${id}-about`}
        />
      </div>
      <button type="button" aria-label={texts.parts.copyOf(label)} onClick={copy}>
        {texts.parts.copy}
      </button>
      <span role="status">{told}</span>
    </div>
  );
}
