import { type FileRecord, wireDate } from '@baobab/core';

/** The details of a file as JSON text. The attached data is included as stored. */
export function fileJson(file: FileRecord): string {
  const { id, fileName, contentType, size, attachedData, sha256, author, created } = file;
  return (
    `{"id":"${id}","fileName":${JSON.stringify(fileName)},"contentType":${JSON.stringify(contentType)},` +
    `"contentLength":${size},"attachedData":${attachedData},"metadata":{"sha256":"${sha256}"},` +
    `"_author":${JSON.stringify(author)},"_creation_date":"${wireDate(created)}","@version":1}`
  );
}

export function filesJson(files: readonly FileRecord[]): string {
  return `[${files.map(fileJson).join(',')}]`;
}
