import { isBaobabError } from '@baobab/client';
import type { ReactNode } from 'react';
import { texts } from '../texts.ts';

/** Returns the message to show for a failure; null if there is none. */
export function messageOf(error: unknown): string | null {
  if (error === null || isBaobabError(error, 'client.aborted')) return null;
  return error instanceof Error ? error.message : texts.failure.unknown;
}

/** A failure, announced by screen readers. */
export function Failure({ error, id }: { error: unknown; id?: string }): ReactNode {
  const message = messageOf(error);
  if (message === null) return null;
  const problems = isBaobabError(error) ? error.errors.filter((problem) => !message.includes(problem.message)) : [];
  return (
    <div role="alert" className="failure" id={id}>
      <p>{message}</p>
      {problems.length > 0 && (
        <ul>
          {problems.map(({ path, message: text }) => (
            <li key={`${path} ${text}`}>
              <code>{path}</code> {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
