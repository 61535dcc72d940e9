import type { StoredFile } from '@baobab/client';
import type { ReactNode } from 'react';
import { Table } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { bytesText, dateText } from '../../values/format.ts';
import { Thumbnail } from './thumbnail.tsx';

const TEXTS = texts.files;

interface FileRowsProps {
  readonly files: readonly StoredFile[];
  /** Ids of the selected files. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
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

function CheckAll({ files, selected, onSelect }: FileRowsProps): ReactNode {
  return (
    <input
      type="checkbox"
      aria-label={TEXTS.selectAll}
      checked={files.every(({ id }) => selected.has(id))}
      onChange={({ target }) => onSelect(new Set(target.checked ? files.map(({ id }) => id) : []))}
    />
  );
}

const UserLink = ({ name }: { readonly name: string }) => <a href={hrefOf(['users', name])}>{name}</a>;

export function FileTable(props: FileRowsProps): ReactNode {
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <td className="check">
            <CheckAll {...props} />
          </td>
          <th scope="col">{TEXTS.fileName}</th>
          <th scope="col">{TEXTS.type}</th>
          <th scope="col" className="number">
            {TEXTS.size}
          </th>
          <th scope="col">{TEXTS.owner}</th>
          <th scope="col">{TEXTS.stored}</th>
        </tr>
      </thead>
      <tbody>
        {props.files.map((file) => (
          <tr key={file.id}>
            <td className="check">
              <Check {...props} file={file} />
            </td>
            <th scope="row">
              <a href={hrefOf(['files', file.id])}>{file.fileName}</a>
            </th>
            <td>{file.contentType}</td>
            <td className="number">{bytesText(file.contentLength)}</td>
            <td>
              <UserLink name={file._author} />
            </td>
            <td>{dateText(file._creation_date)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function FileGrid(props: FileRowsProps): ReactNode {
  return (
    <>
      <p>
        <CheckAll {...props} /> <span aria-hidden="true">{TEXTS.selectAll}</span>
      </p>
      <ul className="grid" aria-label={TEXTS.title}>
        {props.files.map((file) => (
          <li key={file.id}>
            <a href={hrefOf(['files', file.id])}>
              <Thumbnail file={file} />
              <span className="name">{file.fileName}</span>
            </a>
            <span className="dim">
              <Check {...props} file={file} /> {bytesText(file.contentLength)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
