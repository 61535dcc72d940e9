import type { Violations } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { numberText } from '../../values/format.ts';

interface ViolationListProps {
  readonly collection: string;
  readonly found: Violations;
  /** Sentence for no violations. */
  readonly none: string;
  /** Sentence with the number of violations. */
  readonly some: (count: string) => string;
  /** Sentence about the previous step. */
  readonly outcome?: string;
}

/** Stored documents that do not conform to a schema or to checks. */
export function ViolationList({ collection, found, none, some, outcome }: ViolationListProps): ReactNode {
  const { violations, first } = found;
  return (
    <div className="stack">
      <p>
        {outcome} {violations === 0 ? none : some(numberText(violations))}
      </p>
      <ul className="bullets">
        {first.map(({ id, errors }) => (
          <li key={id}>
            <a className="id" href={hrefOf(['collections', collection, id])}>
              {id}
            </a>
            <ul className="bullets">
              {errors.map(({ path, message }) => (
                <li key={`${path} ${message}`}>
                  <code>{path}</code> {message}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </div>
  );
}
