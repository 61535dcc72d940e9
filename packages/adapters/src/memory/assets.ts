import {
  AppError,
  type AssetRecord,
  type AssetStore,
  assetNames,
  storedResolver,
  storedSortValues,
} from '@baobab/core';
import { found, type ObjectView, pageOf, summaryOf } from './searches.ts';
import type { AssetRow, State } from './state.ts';

const LOOKS: ObjectView<AssetRecord> = {
  resolve: (asset) => storedResolver(assetNames(asset)),
  keys: (order, asset) => storedSortValues(order, assetNames(asset)),
  texts: ({ meta }) => [meta],
};

export function createAssetStore(state: State): AssetStore {
  const byName = (name: string) => state.assets.where('name', name)[0];

  function toRecord({ authorId, ...asset }: AssetRow): AssetRecord {
    const author = authorId === null ? null : (state.users.get(authorId)?.name ?? null);
    return { ...asset, author, file: asset.file === null ? null : { ...asset.file } };
  }

  return {
    async add(asset) {
      if (byName(asset.name) !== undefined) return false;
      if (state.users.get(asset.authorId) === undefined) throw new AppError('user.not_found');
      state.assets.set({ ...asset, file: asset.file === null ? null : { ...asset.file } });
      return true;
    },
    async find(name) {
      const asset = byName(name);
      return asset === undefined ? null : toRecord(asset);
    },
    async existing(ids) {
      return ids.filter((id) => state.assets.get(id) !== undefined);
    },
    async list(list) {
      return pageOf(state.assets.values().map(toRecord), list, LOOKS);
    },
    async count(where) {
      return found(state.assets.values().map(toRecord), where, LOOKS).length;
    },
    async summarize(summary) {
      return summaryOf(state.assets.values().map(toRecord), summary, LOOKS);
    },
    async remove(name) {
      const asset = byName(name);
      if (asset !== undefined) state.assets.delete(asset.id);
      return asset?.id ?? null;
    },
  };
}
