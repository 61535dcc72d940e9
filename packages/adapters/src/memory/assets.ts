import { type AssetRecord, type AssetStore, assetNames, storedResolver, storedSortValues } from '@baobab/core';
import { found, type ObjectView, orderBy, pageOf, summaryOf } from './lists.ts';
import type { AssetRow, State } from './state.ts';
import type { Immediate } from './tables.ts';

const VIEW: ObjectView<AssetRecord> = {
  resolve: (asset) => storedResolver(assetNames(asset)),
  order: orderBy((keys, asset) => storedSortValues(keys, assetNames(asset))),
  texts: ({ meta }) => [meta],
};

export function createAssetStore(state: State): Immediate<AssetStore> {
  const { assets } = state;

  function toRecord({ authorId, ...asset }: AssetRow): AssetRecord {
    return { ...asset, author: authorId === null ? null : (state.users.get(authorId)?.name ?? null) };
  }
  const all = () => assets.all().map(toRecord);

  return {
    add(asset) {
      if (assets.first({ name: asset.name }) !== null) return false;
      assets.set({ ...asset, file: asset.file && { ...asset.file } });
      return true;
    },
    find(name) {
      const asset = assets.first({ name });
      return asset === null ? null : toRecord(asset);
    },
    existing: (ids) => ids.filter((id) => assets.has(id)),
    list: (list) => pageOf(all(), list, VIEW),
    count: (where) => found(all(), where, VIEW).length,
    summarize: (summary) => summaryOf(all(), summary, VIEW),
    remove: (name) => assets.remove({ name })[0]?.id ?? null,
  };
}
