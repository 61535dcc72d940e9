import { type ReactNode, useEffect, useMemo } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { useService } from '../../parts/service.ts';
import { FileView } from './file.tsx';
import { FileList } from './file-list.tsx';
import { createUploads } from './uploads.ts';

/** The list of files, or one of them. Uploads continue while a file is open. */
export function Files({ place }: ViewOfPlaceProps): ReactNode {
  const { client } = useService();
  const uploads = useMemo(() => createUploads((file, options) => client.files.upload(file, options)), [client]);
  useEffect(() => uploads.abortAll, [uploads]);
  const [, id] = place.path;
  if (id !== undefined) return <FileView key={id} id={id} uploads={uploads} />;
  const { find = '', look } = place.query;
  return <FileList find={find} look={look === 'grid' ? 'grid' : 'list'} uploads={uploads} />;
}
