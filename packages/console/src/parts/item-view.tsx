import { type ReactNode, useState } from 'react';
import type { Loaded } from '../use-load.ts';
import { Confirm } from './dialog.tsx';
import { Loading, View } from './view.tsx';

interface ItemViewProps<T> {
  readonly title: string;
  /** The address and the title of the list that the item belongs to. */
  readonly parent: readonly [href: string, title: string];
  readonly loaded: Loaded<T>;
  readonly children: (item: T) => ReactNode;
  readonly deletion: {
    readonly title: string;
    readonly about: string;
    /** What the user has to type to confirm; absent: nothing. */
    readonly typed?: string;
    readonly act: () => Promise<unknown>;
    readonly onDone: () => void;
  };
}

/** One item of a list, which can be deleted once it is shown. */
export function ItemView<T>({ title, parent, loaded, children, deletion }: ItemViewProps<T>): ReactNode {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <View
      title={title}
      parents={[parent]}
      actions={
        loaded.data !== null && (
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            {deletion.title}
          </button>
        )
      }
    >
      <Loading loaded={loaded}>{children}</Loading>
      {isDeleting && <Confirm {...deletion} onClose={() => setDeleting(false)} />}
    </View>
  );
}
