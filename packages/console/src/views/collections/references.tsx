import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { Popover } from '../../parts/popover.tsx';
import { useService } from '../../parts/service.ts';
import { useLoad } from '../../use-load.ts';
import { type Referenced, referencesIn, referringMembers } from '../../values/references.ts';
import type { StoredDocument } from './stored-document.ts';

/** References of the documents of a page, by document and member. */
export type References = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

const NONE: References = new Map();

/** Resolves the references of the documents of a page, in one request, and only if there may be some. */
export function useReferences(collection: string, documents: readonly StoredDocument[]): References {
  const { client } = useService();
  const members = referringMembers(documents);
  const ids = members.length === 0 ? [] : documents.map(({ id }) => id);
  const { data } = useLoad(['documents', collection, 'references', members, ids], async (signal) => {
    if (ids.length === 0) return NONE;
    const found = client.collection(collection).query().whereUnchecked('id in ?', ids);
    const { rows } = await found
      .expand(...members)
      .pageSize(ids.length)
      .page(null, { signal });
    return new Map(rows.map(({ id, _expanded = {} }) => [id, _expanded]));
  });
  return data ?? NONE;
}

const Link = ({ id, collection, title }: Referenced): ReactNode => (
  <a href={hrefOf(['collections', collection, id])} title={`${collection}: ${title}`}>
    {title}
  </a>
);

interface ReferenceProps {
  readonly name: string;
  readonly expanded: unknown;
  /** Shown if the member refers to nothing. */
  readonly children: ReactNode;
}

/** Links to the documents that a member refers to. Several open in a popover. */
export function Reference({ name, expanded, children }: ReferenceProps): ReactNode {
  const all = referencesIn(expanded);
  const [first] = all;
  if (first === undefined) return children;
  if (!Array.isArray(expanded)) return <Link {...first} />;
  return (
    <Popover
      label={name}
      trigger={
        <button type="button" className="chip" aria-label={`${name} [${all.length}]`}>
          [{all.length}]
        </button>
      }
    >
      <ul className="stack">
        {all.map((one) => (
          <li key={one.id}>
            <Link {...one} />
          </li>
        ))}
      </ul>
    </Popover>
  );
}
