import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Loaded } from '../use-load.ts';
import { Confirm } from './dialog.tsx';
import type { MenuEntry } from './menu.tsx';
import { Loading, type Parent, View } from './view.tsx';

interface ItemViewProps<T> {
  readonly title: string;
  /** The list that the item belongs to. */
  readonly parent: Parent;
  readonly loaded: Loaded<T>;
  readonly children: (item: T) => ReactNode;
  readonly actions?: ReactNode;
  readonly menu?: readonly MenuEntry[];
  readonly tabs?: ReactNode;
  /** Null if the item cannot be deleted. */
  readonly deletion: {
    readonly title: string;
    readonly about: string;
    /** Text that the user must type to confirm; absent: none. */
    readonly typed?: string;
    readonly act: () => Promise<unknown>;
    readonly onDone: () => void;
  } | null;
}

/** One item of a list, which can be deleted once it is displayed. */
export function ItemView<T>(props: ItemViewProps<T>): ReactNode {
  const { title, parent, loaded, children, actions, menu = [], tabs, deletion } = props;
  const [isDeleting, setDeleting] = useState(false);
  const deleting: readonly MenuEntry[] =
    deletion === null ? [] : [{ text: deletion.title, icon: Trash2, isDanger: true, act: () => setDeleting(true) }];
  return (
    <View
      title={title}
      parents={[parent]}
      tabs={tabs}
      actions={loaded.data !== null && actions}
      menu={loaded.data === null ? [] : [...menu, ...deleting]}
    >
      <Loading loaded={loaded}>{children}</Loading>
      {isDeleting && deletion !== null && <Confirm {...deletion} onClose={() => setDeleting(false)} />}
    </View>
  );
}
