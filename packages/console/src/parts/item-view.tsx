import { type ReactNode, useState } from 'react';
import type { Loaded } from '../use-load.ts';
import { Confirm } from './dialog.tsx';
import { Loading, View } from './view.tsx';

interface ItemViewProps<T> {
  readonly title: string;
  /** Address and title of the list that the item belongs to. */
  readonly parent: readonly [href: string, title: string];
  readonly loaded: Loaded<T>;
  readonly children: (item: T) => ReactNode;
  readonly deletion: {
    readonly title: string;
    readonly about: string;
    /** Text that the user must type to confirm; absent: none. */
    readonly typed?: string;
    readonly act: () => Promise<unknown>;
    readonly onDone: () => void;
  };
}

/** One item of a list, which can be deleted once it is displayed. */
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
