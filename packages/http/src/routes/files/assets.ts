import type { Assets, FileAsset, ResizeRequest } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assetJson } from '../../render/file.ts';
import { sendJson } from '../../responses/envelope.ts';
import { Asset, SERVED } from '../../schemas/assets.ts';
import { ON_BYTES, ON_IMAGE } from '../../schemas/failing.ts';
import { etagOf } from '../../stored/conditions.ts';
import { serveBytes } from '../../stored/serve.ts';
import { serveImage, sizeIndex } from '../../stored/serve-image.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('assets');

/** Freshness of cached copies, in seconds. It is short because a name can be reused for another asset. */
const FRESH_S = 300;
const FOR_ALL = `public, max-age=${FRESH_S}`;
/** Sizes that only administrators may request must not enter shared caches. */
const FOR_ONE = `private, max-age=${FRESH_S}`;

/** Public. A valid session is taken into account. */
const open = {
  access: 'anybody',
  appCode: 'unneeded',
  ignoresOldCredentials: 'session',
  fails: ['asset.not_found'],
} as const;
const ofBytes = { ...open, response: SERVED, fails: [...open.fails, 'asset.no_file', ...ON_BYTES] } as const;
/** A size missing from the settings is refused here, because only administrators may request it. */
const resized = {
  ...ofBytes,
  status: { 'image.format_refused': 403 },
  fails: [...ofBytes.fails, ...ON_IMAGE],
} as const;

const percent = (text: string) => (text.endsWith('%') ? text : `${text}%`);

/** A name may be published again with the same bytes, but with another type. */
const tagOf = ({ id, file }: FileAsset, image: { readonly variant: string } | null = null) =>
  etagOf(file.sha256, [id.slice(-8), ...(image === null ? [] : [image.variant])].join('.'));

const headersOf = ({ created, file }: FileAsset, asAttachment: boolean) => ({
  fileName: file.fileName,
  contentType: file.contentType,
  modified: created,
  asAttachment,
});

/** Public reads of assets. */
export const assetRoutes: Routes<{ assets: Assets }> = async (app, { assets }) => {
  async function sendFile(request: FastifyRequest, reply: FastifyReply, asAttachment: boolean): Promise<FastifyReply> {
    const asset = await assets.readFile((request.params as { name: string }).name);
    return serveBytes(request, reply, {
      ...headersOf(asset, asAttachment),
      etag: tagOf(asset),
      size: asset.file.size,
      caching: FOR_ALL,
      isShared: true,
      open: (range) => assets.open(asset, range),
    });
  }

  async function sendResized(
    request: FastifyRequest,
    reply: FastifyReply,
    { asAttachment, size }: { asAttachment: boolean; size: ResizeRequest },
  ): Promise<FastifyReply> {
    const { name } = request.params as { name: string };
    const { asset, image } = await assets.resized(request.actor, name, size);
    return serveImage(request, reply, {
      ...headersOf(asset, asAttachment),
      etag: tagOf(asset, image),
      caching: image.isForAll ? FOR_ALL : FOR_ONE,
      isShared: image.isForAll,
      image,
      gone: 'asset.not_found',
    });
  }

  app.get(
    '/asset/:name/data',
    operation('readAssetData', 'Read the metadata of an asset', { data: Asset, ...open }),
    async ({ params }, reply) => sendJson(reply, assetJson(await assets.read(params.name))),
  );

  for (const [path, id, verb] of [
    ['/asset/:name', '', 'Read'],
    ['/asset/:name/download', 'Download', 'Download'],
  ] as const) {
    const asAttachment = id !== '';

    app.get(
      path,
      operation(`readAsset${id}`, `${verb} the bytes of an asset`, { ...ofBytes }),
      async (request, reply) => sendFile(request, reply, asAttachment),
    );

    app.get(
      `${path}/resize/:width/:height`,
      operation(`readAssetInBox${id}`, `${verb} an image, scaled to fit into a box`, { ...resized }),
      async (request, reply) => {
        const { width, height } = request.params;
        return sendResized(request, reply, { asAttachment, size: { format: `${width}-${height}` } });
      },
    );

    app.get(
      `${path}/resize/:percent`,
      operation(`readAssetInPercent${id}`, `${verb} an image, scaled by a percentage`, { ...resized }),
      async (request, reply) =>
        sendResized(request, reply, { asAttachment, size: { format: percent(request.params.percent) } }),
    );

    app.get(
      `${path}/resizeId/:sizeId`,
      operation(`readAssetBySizeId${id}`, `${verb} an image in a size from the settings, counted from 1`, {
        ...resized,
      }),
      async (request, reply) =>
        sendResized(request, reply, { asAttachment, size: { position: sizeIndex(request.params.sizeId, 1) } }),
    );
  }
};
