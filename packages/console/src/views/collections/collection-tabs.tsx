import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { PageTabs, type Parent } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';

const TEXTS = texts.collections;

/** Parts of a collection besides its documents, as path segments that cannot be the id of a document. */
export const PARTS = ['schema', 'rules', 'indexes', 'api', 'danger'] as const;
export type CollectionPart = (typeof PARTS)[number];

export const parentsOf = (): readonly Parent[] => [[hrefOf(['collections']), TEXTS.title]];

interface CollectionTabsProps {
  readonly collection: string;
  readonly current: 'documents' | CollectionPart;
}

export function CollectionTabs({ collection, current }: CollectionTabsProps): ReactNode {
  const tabs = [
    { href: hrefOf(['collections', collection]), text: TEXTS.documents, isCurrent: current === 'documents' },
    ...PARTS.map((part) => ({
      href: hrefOf(['collections', collection, part]),
      text: TEXTS.parts[part],
      isCurrent: current === part,
    })),
  ];
  return <PageTabs label={collection} tabs={tabs} />;
}
