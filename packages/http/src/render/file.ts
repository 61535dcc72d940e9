import { type FileRecord, grantMembers, type NamedGrant, wireDate } from '@baobab/core';

/**
 * Returns the details of a file as JSON text, with the attached data as stored.
 *
 * @param grants included if given
 */
export function fileJson(file: FileRecord, grants: readonly NamedGrant[] | null = null): string {
  const { id, fileName, contentType, size, attachedData, sha256, author, created } = file;
  const shown = grants === null ? '' : `,${JSON.stringify(grantMembers(grants)).slice(1, -1)}`;
  return (
    `{"id":"${id}","fileName":${JSON.stringify(fileName)},"contentType":${JSON.stringify(contentType)},` +
    `"contentLength":${size},"attachedData":${attachedData},"metadata":{"sha256":"${sha256}"},` +
    `"_author":${JSON.stringify(author)},"_creation_date":"${wireDate(created)}","@version":1${shown}}`
  );
}

export function filesJson(files: readonly FileRecord[]): string {
  return `[${files.map((file) => fileJson(file)).join(',')}]`;
}
