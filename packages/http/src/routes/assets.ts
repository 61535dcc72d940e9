import type { Assets, FileAsset, ResizeRequest } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { sendJson } from '../envelope.ts';
import { assetJson } from '../render/asset.ts';
import { Asset, AssetParams, Bytes } from '../schemas/assets.ts';
import { Envelope, failures } from '../schemas/common.ts';
import { ON_BYTES, ON_IMAGE } from '../schemas/failing.ts';
import { serveBytes } from '../stored/serve.ts';
import { serveImage } from '../stored/serve-image.ts';
import type { Routes } from './plugin.ts';

/** How long a cached copy is fresh, in seconds. It is short because a name can be given to another asset. */
const FRESH_S = 300;
const FOR_ALL = `public, max-age=${FRESH_S}`;
/** Sizes that only administrators may request stay out of shared caches. */
const FOR_ONE = `private, max-age=${FRESH_S}`;

/** How many hexadecimal digits of the digest tell contents apart: 128 bits. */
const TAG_DIGITS = 32;

const schema = (operationId: string, summary: string) => ({
  operationId,
  summary,
  tags: ['assets'],
  response: { 200: Bytes, 206: Bytes, 304: Type.Null(), ...failures },
});

/** Open to everybody. A valid session is taken into account. */
const config = {
  access: 'anybody',
  appCode: 'unneeded',
  ignoresOldCredentials: 'session',
  fails: ['asset.not_found'],
} as const;
const bytesConfig = { ...config, fails: [...config.fails, 'asset.no_file', ...ON_BYTES] } as const;
/** Here a size that is not in the settings is refused as one that only administrators may request. */
const resizeConfig = {
  ...bytesConfig,
  status: { 'image.format_refused': 403 },
  fails: [...bytesConfig.fails, ...ON_IMAGE],
} as const;

/** The index of a size that is requested by number, counted from 1; -1 for 0 and for anything that is not a number. */
const position = (sizeId: string) => (/^\d{1,6}$/.test(sizeId) ? Number(sizeId) - 1 : -1);
const percent = (text: string) => (text.endsWith('%') ? text : `${text}%`);

const headersOf = ({ created, file }: FileAsset, asAttachment: boolean) => ({
  fileName: file.fileName,
  contentType: file.contentType,
  modified: created,
  asAttachment,
});
const tagOf = ({ file }: FileAsset) => file.sha256.slice(0, TAG_DIGITS);

/** Public reads of assets. */
export const assetRoutes: Routes<{ assets: Assets }> = async (app, { assets }) => {
  async function sendFile(request: FastifyRequest, reply: FastifyReply, asAttachment: boolean): Promise<FastifyReply> {
    const asset = await assets.readFile((request.params as { name: string }).name);
    return serveBytes(request, reply, {
      ...headersOf(asset, asAttachment),
      etag: `"${tagOf(asset)}"`,
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
      etag: `"${tagOf(asset)}.${image.variant}"`,
      caching: image.isForAll ? FOR_ALL : FOR_ONE,
      isShared: image.isForAll,
      image,
      gone: 'asset.not_found',
    });
  }

  app.get(
    '/asset/:name/data',
    {
      schema: {
        ...schema('readAssetData', 'The metadata of an asset'),
        params: AssetParams,
        response: { 200: Envelope(Asset), ...failures },
      },
      config,
    },
    async ({ params }, reply) => sendJson(reply, assetJson(await assets.read(params.name))),
  );

  for (const [path, id, what] of [
    ['/asset/:name', '', 'to be shown'],
    ['/asset/:name/download', 'Download', 'to be saved'],
  ] as const) {
    const asAttachment = id !== '';
    const describe = (kind: string, summary: string) => schema(`readAsset${kind}${id}`, `${summary}, ${what}`);

    app.get(
      path,
      { schema: { ...describe('', 'The bytes of an asset'), params: AssetParams }, config: bytesConfig },
      async (request, reply) => sendFile(request, reply, asAttachment),
    );

    app.get(
      `${path}/resize/:width/:height`,
      {
        schema: {
          ...describe('InBox', 'An image scaled to fit into a box'),
          params: Type.Object({ name: Type.String(), width: Type.String(), height: Type.String() }),
        },
        config: resizeConfig,
      },
      async (request, reply) => {
        const { width, height } = request.params;
        return sendResized(request, reply, { asAttachment, size: { format: `${width}-${height}` } });
      },
    );

    app.get(
      `${path}/resize/:percent`,
      {
        schema: {
          ...describe('InPercent', 'An image scaled by a percentage'),
          params: Type.Object({ name: Type.String(), percent: Type.String() }),
        },
        config: resizeConfig,
      },
      async (request, reply) =>
        sendResized(request, reply, { asAttachment, size: { format: percent(request.params.percent) } }),
    );

    app.get(
      `${path}/resizeId/:sizeId`,
      {
        schema: {
          ...describe('BySizeId', 'An image in a size of the settings, counted from 1'),
          params: Type.Object({ name: Type.String(), sizeId: Type.String() }),
        },
        config: resizeConfig,
      },
      async (request, reply) =>
        sendResized(request, reply, { asAttachment, size: { position: position(request.params.sizeId) } }),
    );
  }
};
