import { isBaobabError, type StoredFile } from '@baobab/client';
import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { Select } from '../../parts/field.tsx';
import { Search } from '../../parts/search.tsx';
import { useService } from '../../parts/service.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Loading, Pager, View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { failuresOf } from '../../values/limit.ts';
import { beginsWith } from '../../values/patterns.ts';
import { FileGrid, FileTable } from './file-rows.tsx';
import { UploadField, UploadPanel } from './upload-panel.tsx';
import { isIdle, type Uploads } from './uploads.ts';

const TEXTS = texts.files;

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
  const query = useCallback(() => {
    const all = client.files.query();
    // Ids ascend with time, so sorting by id is cheap.
    return (find === '' ? all : all.whereField('fileName', 'like', beginsWith(find))).orderBy('id', 'desc');
  }, [client, find]);
  const { loaded, page, toNext, toFirst } = usePages(query);
  useReloadAfter(uploads, loaded.reload);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [removing, setRemoving] = useState<readonly StoredFile[] | null>(null);
  const to = (change: { readonly find?: string; readonly look?: string }) => {
    const { look: shown, ...rest } = { find, look, ...change };
    go(['files'], { ...rest, look: shown === 'grid' ? shown : '' });
  };

  async function removeAll(files: readonly StoredFile[]): Promise<void> {
    const failures = await failuresOf(files, ({ id }) => client.files.remove(id));
    loaded.reload();
    const real = failures.filter((failure) => !isBaobabError(failure, 'file.not_found'));
    if (real.length > 0) throw new Error(TEXTS.notRemoved(real.length, messageOf(real[0]) ?? ''));
  }

  return (
    <View title={TEXTS.title}>
      <UploadField uploads={uploads} />
      <UploadPanel uploads={uploads} />
      <Search label={TEXTS.find} submit={TEXTS.apply} value={find} onSearch={(text) => to({ find: text })}>
        <Select
          label={TEXTS.look}
          value={look}
          onChange={(asked) => to({ look: asked })}
          options={[
            ['list', TEXTS.looks.list],
            ['grid', TEXTS.looks.grid],
          ]}
        />
      </Search>
      <Loading loaded={loaded}>
        {({ rows, next }) => {
          const chosen = rows.filter(({ id }) => selected.has(id));
          const rowsProps = { files: rows, selected, onSelect: setSelected };
          return (
            <>
              {chosen.length > 0 && (
                <button type="button" className="danger" onClick={() => setRemoving(chosen)}>
                  {TEXTS.removeSelected(chosen.length)}
                </button>
              )}
              {rows.length === 0 && <p>{TEXTS.none}</p>}
              {rows.length > 0 && (look === 'grid' ? <FileGrid {...rowsProps} /> : <FileTable {...rowsProps} />)}
              <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
            </>
          );
        }}
      </Loading>
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
