import { type InputProblem, isBaobabError } from '@baobab/client';
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { unexpectedText } from '../values/unexpected.ts';
import { Button } from './button.tsx';

export const isUnreachable = (error: unknown): boolean => isBaobabError(error, 'client.network', 'client.timeout');

/** Translates a message of the server. Its details, after a colon, stay in English. */
function translated(message: string): string {
  for (const [english, own] of Object.entries(texts.serverMessages))
    if (message === english || message.startsWith(`${english}: `)) return own + message.slice(english.length);
  return message;
}

/** Returns the message to show for a failure; null if there is none. */
export function messageOf(error: unknown): string | null {
  if (error === null || error === undefined || isBaobabError(error, 'client.aborted')) return null;
  if (isUnreachable(error)) return texts.failure.unreachable;
  if (isBaobabError(error, 'client.answer')) return unexpectedText(error.status);
  return error instanceof Error ? translated(error.message) : texts.failure.unknown;
}

export const problemsOf = (error: unknown): readonly InputProblem[] =>
  isBaobabError(error) ? error.errors.map((one) => ({ ...one, message: translated(one.message) })) : [];

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** Paths of problems that are shown beside their fields. */
  readonly shown?: ReadonlySet<string>;
}

/** A failure, announced by screen readers. */
export function Failure({ error, onRetry, shown }: FailureProps): ReactNode {
  // Loading repeats itself when the server is back; an action does not.
  const found = onRetry === undefined && isUnreachable(error) ? texts.failure.notSent : messageOf(error);
  if (found === null) return null;
  const all = problemsOf(error);
  const areAllShown = all.length > 0 && all.every(({ path }) => shown?.has(path) === true);
  const message = areAllShown ? texts.failure.fields : found;
  const problems = all.filter(({ path, message: text }) => !message.includes(text) && shown?.has(path) !== true);
  return (
    <div role="alert" className="failure stack">
      <p>{message}</p>
      {problems.length > 0 && (
        <ul className="bullets">
          {problems.map(({ path, message: text }) => (
            <li key={`${path} ${text}`}>
              <code>{path}</code> {text}
            </li>
          ))}
        </ul>
      )}
      {onRetry !== undefined && (
        <div>
          <Button icon={RotateCw} onClick={onRetry}>
            {texts.retry}
          </Button>
        </div>
      )}
    </div>
  );
}
