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

/** Who holds a copy asks again after so long, since a name can come to stand for something else. Seconds. */
const FRESH_S = 300;
const FOR_ALL = `public, max-age=${FRESH_S}`;
/** Sizes that only administrators may ask for stay out of caches that others use. */
const FOR_ONE = `private, max-age=${FRESH_S}`;

/** Digits of the digest that tell bytes apart: 128 bits. */
const TAG_DIGITS = 32;

const schema = (operationId: string, summary: string) => ({
  operationId,
  summary,
  tags: ['assets'],
  response: { 200: Bytes, 206: Bytes, 304: Type.Null(), ...failures },
});

/** Open to everybody; a session counts where there is one that works. */
const config = {
  access: 'anybody',
  appCode: 'unneeded',
  ignoresOldCredentials: 'session',
  fails: ['asset.not_found'],
} as const;
const bytesConfig = { ...config, fails: [...config.fails, 'asset.no_file', ...ON_BYTES] } as const;
/** A size that is not on the list is refused here as what only administrators may have. */
const resizeConfig = {
  ...bytesConfig,
  status: { 'image.format_refused': 403 },
  fails: [...bytesConfig.fails, ...ON_IMAGE],
} as const;

/** What is asked for by number, counted from 1; 0 and what is none stand for no size. */
const position = (sizeId: string) => (/^\d{1,6}$/.test(sizeId) ? Number(sizeId) - 1 : -1);
const percent = (text: string) => (text.endsWith('%') ? text : `${text}%`);

const headersOf = ({ created, file }: FileAsset, asAttachment: boolean) => ({
  fileName: file.fileName,
  contentType: file.contentType,
  modified: created,
  asAttachment,
});
const tagOf = ({ file }: FileAsset) => file.sha256.slice(0, TAG_DIGITS);

/** Assets as everybody reads them. */
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
        ...schema('readAssetData', 'What is told of an asset, beside its bytes'),
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
    const said = (kind: string, summary: string) => schema(`readAsset${kind}${id}`, `${summary}, ${what}`);

    app.get(
      path,
      { schema: { ...said('', 'The bytes of an asset'), params: AssetParams }, config: bytesConfig },
      async (request, reply) => sendFile(request, reply, asAttachment),
    );

    app.get(
      `${path}/resize/:width/:height`,
      {
        schema: {
          ...said('InBox', 'An image as large as fits into a box'),
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
          ...said('InPercent', 'An image with a share of its sides'),
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
          ...said('BySizeId', 'An image in one of the sizes of the settings, counted from 1'),
          params: Type.Object({ name: Type.String(), sizeId: Type.String() }),
        },
        config: resizeConfig,
      },
      async (request, reply) =>
        sendResized(request, reply, { asAttachment, size: { position: position(request.params.sizeId) } }),
    );
  }
};
