import type { ReactNode } from 'react';
import { IndexEditor } from '../../parts/index-editor.tsx';
import { useService } from '../../parts/service.ts';
import { View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';

const TEXTS = texts.indexes;

const LISTS = ['users', 'files', 'assets'] as const;

/** Indexes of users, files and assets. Those of documents are in the configuration of their collections. */
export function Indexes(): ReactNode {
  return (
    <View title={TEXTS.title}>
      <p className="muted">{TEXTS.about}</p>
      <div className="stack loose">
        {LISTS.map((of) => (
          <ListIndexes key={of} of={of} />
        ))}
      </div>
    </View>
  );
}

function ListIndexes({ of }: { readonly of: (typeof LISTS)[number] }): ReactNode {
  const { indexes } = useService().client.admin;
  return (
    <IndexEditor
      {...TEXTS.of[of]}
      of={of}
      list={(signal) => indexes.list(of, { signal })}
      create={(path) => indexes.create(of, path)}
      remove={(path) => indexes.remove(of, path)}
    />
  );
}
