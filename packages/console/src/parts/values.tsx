import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts.ts';
import { ageText, dateText, isDate, numberText } from '../values/format.ts';
import { formatJson } from '../values/json.ts';
import { Badge } from './badge.tsx';
import { IconButton } from './button.tsx';
import { KEYBOARD } from './keyboard.ts';
import { Popover } from './popover.tsx';

const SHORT = 8;

/** The age of a date, with the exact time as a tooltip. */
export const Age = ({ date }: { readonly date: string }): ReactNode => (
  <time dateTime={date} title={dateText(date)}>
    {ageText(date)}
  </time>
);

/** The beginning of an id, with a button that copies the whole. */
export function ShortId({ id }: { readonly id: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <span className="id" title={id}>
        {id.slice(0, SHORT)}
      </span>
      {/* Browsers provide a clipboard only on secure pages. */}
      {navigator.clipboard !== undefined && (
        <IconButton
          icon={isCopied ? Check : Copy}
          label={texts.parts.copyOf(id)}
          isSmall={true}
          onClick={() =>
            navigator.clipboard.writeText(id).then(
              () => setCopied(true),
              () => setCopied(false),
            )
          }
        />
      )}
    </>
  );
}

const sizeOf = (value: object) => (Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`);

/** A value of a document in one line. Objects and lists open in a popover. */
export function Value({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode {
  if (value === undefined) return null;
  if (value === null) return <span className="muted">{texts.none}</span>;
  if (typeof value === 'boolean') return <Badge tone={value ? 'ok' : 'neutral'}>{String(value)}</Badge>;
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return isDate(value) ? <Age date={value} /> : <span title={value}>{value}</span>;
  return (
    <Popover
      label={name}
      trigger={
        <button type="button" className="chip" aria-label={`${name} ${sizeOf(value)}`}>
          {sizeOf(value)}
        </button>
      }
    >
      <pre {...KEYBOARD}>{formatJson(value)}</pre>
    </Popover>
  );
}
