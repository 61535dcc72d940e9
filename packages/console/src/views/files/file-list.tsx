import { isBaobabError, type StoredFile } from '@baobab/client';
import { LayoutGrid, List, Trash2 } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Search } from '../../parts/search.tsx';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { Loading, View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { failuresOf } from '../../values/limit.ts';
import { beginsWith } from '../../values/patterns.ts';
import { FileGrid, FileTable } from './file-rows.tsx';
import { UploadButton, UploadPanel, useDrop } from './upload-panel.tsx';
import { isIdle, type Uploads } from './uploads.ts';

const TEXTS = texts.files;
const ICONS = { list: List, grid: LayoutGrid } as const;

interface FileListProps {
  readonly find: string;
  readonly look: 'list' | 'grid';
  readonly uploads: Uploads;
}

/** Calls `reload` after uploads complete. */
function useReloadAfter(uploads: Uploads, reload: () => void): void {
  const state = useSyncExternalStore(uploads.subscribe, uploads.state);
  const { done } = state;
  const isOver = isIdle(state);
  const seen = useRef(done);
  useEffect(() => {
    if (!isOver || done === seen.current) return;
    seen.current = done;
    if (done > 0) reload();
  }, [isOver, done, reload]);
}

/** Files, newest first. */
export function FileList({ find, look, uploads }: FileListProps): ReactNode {
  const { client } = useService();
  const pages = usePages(['files', find], () => {
    const all = client.files.query();
    // Ids ascend with time, so sorting by id is cheap.
    return (find === '' ? all : all.whereField('fileName', 'like', beginsWith(find))).orderBy('id', 'desc');
  });
  const { loaded } = pages;
  const chooser = useRef<HTMLInputElement>(null);
  useDrop(uploads);
  useReloadAfter(uploads, loaded.reload);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [removing, setRemoving] = useState<readonly StoredFile[] | null>(null);
  const chosen = loaded.data?.rows.filter(({ id }) => selected.has(id)) ?? [];
  const to = (change: { readonly find?: string; readonly look?: string }) => {
    const { look: shown, ...rest } = { find, look, ...change };
    go(['files'], { ...rest, look: shown === 'grid' ? shown : '' });
  };

  async function removeAll(files: readonly StoredFile[]): Promise<void> {
    const failures = await failuresOf(files, ({ id }) => client.files.remove(id));
    loaded.reload();
    const real = failures.filter((failure) => !isBaobabError(failure, 'file.not_found'));
    if (real.length > 0) throw new Error(TEXTS.notRemoved(real.length, messageOf(real[0]) ?? ''));
    toast(TEXTS.removed(files.length));
  }

  return (
    <View title={TEXTS.title} isFull={look === 'list'} actions={<UploadButton uploads={uploads} chooser={chooser} />}>
      <UploadPanel uploads={uploads} />
      <Search label={TEXTS.find} value={find} onSearch={(text) => to({ find: text })}>
        {(['list', 'grid'] as const).map((one) => (
          <IconButton
            key={one}
            icon={ICONS[one]}
            label={TEXTS.looks[one]}
            aria-pressed={one === look}
            onClick={() => to({ look: one })}
          />
        ))}
      </Search>
      <Loading loaded={loaded}>
        {({ rows }) => {
          if (rows.length === 0) {
            const choose = () => chooser.current?.click();
            const onClear = find === '' ? null : () => to({ find: '' });
            return <EmptyList texts={TEXTS} onClear={onClear} onCreate={choose} create={TEXTS.uploadFirst} />;
          }
          const rowsProps = { files: rows, selected, onSelect: setSelected };
          return look === 'grid' ? (
            <FileGrid {...rowsProps} />
          ) : (
            <FileTable {...rowsProps} onDelete={() => setRemoving(chosen)} />
          );
        }}
      </Loading>
      <Pager pages={pages} />
      {chosen.length > 0 && (
        <div className="selection-bar" role="toolbar" aria-label={texts.documents.bulk.bar}>
          <Button kind="danger" icon={Trash2} onClick={() => setRemoving(chosen)}>
            {TEXTS.removeSelected(chosen.length)}
          </Button>
          <Button kind="ghost" onClick={() => setSelected(new Set())}>
            {texts.documents.bulk.unselect}
          </Button>
        </div>
      )}
      {removing !== null && (
        <Confirm
          title={TEXTS.removeSelected(removing.length)}
          about={TEXTS.removeSelectedAbout(removing.length)}
          act={() => removeAll(removing)}
          onDone={() => {
            setRemoving(null);
            setSelected(new Set());
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </View>
  );
}
