import {
  type AssetRecord,
  type FileRecord,
  grantMembers,
  type NamedGrant,
  placeOfFile,
  shownAuthor,
  wireDate,
} from '@baobab/core';

/**
 * Returns the details of a file as JSON text, with the attached data as stored.
 *
 * @param grants included if given
 */
export function fileJson(file: FileRecord, grants: readonly NamedGrant[] | null = null): string {
  const { id, fileName, contentType, size, attachedData, sha256, author, created } = file;
  const shown = grants === null ? '' : `,${JSON.stringify(grantMembers(grants)).slice(1, -1)}`;
  const place = placeOfFile(file);
  const ofDocument = place === null ? '' : `"document":"${place}",`;
  return (
    `{"id":"${id}","fileName":${JSON.stringify(fileName)},"contentType":${JSON.stringify(contentType)},` +
    `"contentLength":${size},"attachedData":${attachedData},"metadata":{"sha256":"${sha256}"},` +
    `"_author":${JSON.stringify(shownAuthor(author))},"_creation_date":"${wireDate(created)}",${ofDocument}"@version":1${shown}}`
  );
}

export function filesJson(files: readonly FileRecord[]): string {
  return `[${files.map((file) => fileJson(file)).join(',')}]`;
}

/** Returns an asset as JSON text, with its meta as stored. Names need no escaping. */
export function assetJson({ id, name, meta, created, author, file }: AssetRecord): string {
  const own =
    `{"id":"${id}","name":"${name}","meta":${meta},"_creation_date":"${wireDate(created)}",` +
    `"_author":${JSON.stringify(author)}`;
  if (file === null) return `${own}}`;
  const { fileName, contentType, size } = file;
  return (
    `${own},"fileName":${JSON.stringify(fileName)},"contentType":${JSON.stringify(contentType)},` +
    `"contentLength":${size}}`
  );
}

export const assetsJson = (assets: readonly AssetRecord[]) => `[${assets.map(assetJson).join(',')}]`;
