import { lazy, type ReactNode, Suspense, useId } from 'react';
import { texts } from '../texts.ts';
import { parseObject } from '../values/json.ts';
import { Problem } from './field.tsx';
import { Skeleton } from './view.tsx';

interface JsonEditorProps {
  readonly label: string;
  /** Initial text. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** True to begin with the focus. */
  readonly takesFocus?: boolean;
  /** True to ignore input. */
  readonly isLocked?: boolean;
}

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }));

/** An editor for a JSON object with highlighting, folding and search. Errors are shown while typing. */
export function JsonEditor({ value, ...props }: JsonEditorProps): ReactNode {
  const id = useId();
  const parsed = parseObject(value);
  return (
    <div className="field">
      <span className="label" aria-hidden="true">
        {props.label}
      </span>
      <Suspense fallback={<Skeleton />}>
        <CodeEditor value={value} {...props} />
      </Suspense>
      <Problem id={id} text={'problem' in parsed ? texts.json.invalid(parsed.problem) : null} />
    </div>
  );
}
