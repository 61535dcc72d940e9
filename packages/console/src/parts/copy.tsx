import { Copy } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { About } from './field.tsx';

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
    <div className="field form">
      <label htmlFor={id}>{label}</label>
      <div className="toolbar">
        <span className="grow">
          <input
            ref={input}
            id={id}
            className="code"
            readOnly={true}
            value={value}
            aria-describedby={about === undefined ? undefined : `${id}-about`}
          />
        </span>
        <Button icon={Copy} aria-label={texts.parts.copyOf(label)} onClick={copy}>
          {texts.parts.copy}
        </Button>
      </div>
      {about !== undefined && <About id={`${id}-about`} text={about} />}
      <span role="status" className="meta">
        {told}
      </span>
    </div>
  );
}
