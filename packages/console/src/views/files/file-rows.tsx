import type { StoredFile } from '@baobab/client';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { useService } from '../../parts/service.ts';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { Age } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { bytesText } from '../../values/format.ts';

const TEXTS = texts.files;

interface FileRowsProps {
  readonly files: readonly StoredFile[];
  /** Ids of the selected files. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

interface StoredThumbnailProps {
  readonly file: StoredFile;
  readonly place: 'tile' | 'cell';
}

function StoredThumbnail({ file: { id, contentType }, place }: StoredThumbnailProps): ReactNode {
  const { client } = useService();
  const load = (size: string, signal: AbortSignal) => client.files.download(id, { size, signal });
  return <Thumbnail file={{ id, contentType, load }} place={place} />;
}

const COLUMNS: readonly Column<StoredFile>[] = [
  {
    id: 'name',
    title: TEXTS.fileName,
    width: 300,
    cell: (file) => (
      <>
        <StoredThumbnail file={file} place="cell" />
        <a href={hrefOf(['files', file.id])} title={file.fileName}>
          {file.fileName}
        </a>
      </>
    ),
  },
  { id: 'type', title: TEXTS.type, cell: ({ contentType }) => <span title={contentType}>{contentType}</span> },
  { id: 'size', title: TEXTS.size, isNumber: true, cell: ({ contentLength }) => bytesText(contentLength) },
  {
    id: 'owner',
    title: TEXTS.owner,
    width: 140,
    cell: ({ _author }) => _author !== null && <a href={hrefOf(['users', _author])}>{_author}</a>,
  },
  { id: 'stored', title: TEXTS.stored, width: 140, cell: ({ _creation_date }) => <Age date={_creation_date} /> },
];

interface FileTableProps extends FileRowsProps {
  /** Deletes the selected files. */
  readonly onDelete: () => void;
}

export function FileTable({ files, selected, onSelect, onDelete }: FileTableProps): ReactNode {
  return (
    <DataTable
      label={TEXTS.title}
      name="files"
      columns={COLUMNS}
      rows={files}
      keyOf={({ id }) => id}
      selection={{
        keys: selected,
        onChange: onSelect,
        labelOf: ({ fileName }) => TEXTS.select(fileName),
        labelOfAll: TEXTS.selectAll,
        onDelete,
      }}
    />
  );
}

interface CheckProps extends Omit<FileRowsProps, 'files'> {
  readonly file: StoredFile;
}

function Check({ file: { id, fileName }, selected, onSelect }: CheckProps): ReactNode {
  return (
    <input
      type="checkbox"
      aria-label={TEXTS.select(fileName)}
      checked={selected.has(id)}
      onChange={({ target }) =>
        onSelect(target.checked ? new Set([...selected, id]) : new Set([...selected].filter((one) => one !== id)))
      }
    />
  );
}

export function FileGrid({ files, selected, onSelect }: FileRowsProps): ReactNode {
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={files.every(({ id }) => selected.has(id))}
          onChange={({ target }) => onSelect(new Set(target.checked ? files.map(({ id }) => id) : []))}
        />
        {TEXTS.selectAll}
      </label>
      <ul className="grid" aria-label={TEXTS.title}>
        {files.map((file) => (
          <li key={file.id}>
            <a href={hrefOf(['files', file.id])} title={file.fileName}>
              <StoredThumbnail file={file} place="tile" />
              <span className="name">{file.fileName}</span>
            </a>
            <span className="row meta">
              <Check file={file} selected={selected} onSelect={onSelect} /> {bytesText(file.contentLength)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
