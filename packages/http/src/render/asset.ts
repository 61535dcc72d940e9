import { type AssetRecord, wireDate } from '@baobab/core';

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
