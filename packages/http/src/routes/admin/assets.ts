import { type AssetDetails, type AssetRecord, type Assets, assetDetails } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerSearch, type ListRoutes } from '../../lists/criteria.ts';
import { assetJson, assetsJson } from '../../render/file.ts';
import { registerForms } from '../../requests/bodies.ts';
import { type KeyedRoutes, once } from '../../requests/idempotency.ts';
import { sendDone, sendJson } from '../../responses/envelope.ts';
import { Asset, AssetBody, AssetFields, AssetForm, AssetJson } from '../../schemas/assets.ts';
import { ON_UPLOAD } from '../../schemas/failing.ts';
import { type ReceiveOptions, receiveUpload } from '../../uploads/receive.ts';
import { listOf, operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('assets');

const detailsOf = (fields: ReadonlyMap<string, string>) =>
  assetDetails({ name: fields.get('name'), meta: fields.get('meta') });

const BODIES = {
  'application/json': AssetJson,
  'application/x-www-form-urlencoded': AssetFields,
  'multipart/form-data': AssetForm,
} as const;

/** Asset management for administrators. Requires the parser of multipart forms. */
export const assetAdminRoutes: Routes<ListRoutes & ReceiveOptions & KeyedRoutes & { assets: Assets }> = async (
  app,
  options,
) => {
  const { assets, parseQuery, pages, maxFileBytes } = options;
  registerForms(app);

  const publishObject = (reply: FastifyReply, details: AssetDetails): Promise<AssetRecord> =>
    once(options, reply, (transact) => assets.createObject(reply.request.actor, details, transact));

  const publishForm = (request: FastifyRequest, reply: FastifyReply): Promise<AssetRecord> =>
    receiveUpload(request, options, async (upload, fields) => {
      if (upload === null) return publishObject(reply, detailsOf(fields));
      const describe = async () => ({ ...(await upload.describe()), ...detailsOf(fields) });
      const early = fields.has('name') ? detailsOf(fields) : null;
      const file = { bytes: upload.bytes, early, describe };
      return once(options, reply, (transact) => assets.createFile(request.actor, file, maxFileBytes, transact));
    });

  app.post(
    '/admin/asset',
    {
      // The handler reads a multipart body itself, so the schema has nothing to validate.
      preValidation: (request, _reply, done) => {
        if (request.isMultipart()) request.body = {};
        done();
      },
      ...operation('createAsset', 'Create an asset from JSON, or from a file in a multipart body', {
        body: AssetBody,
        created: Asset,
        isKeyed: true,
        fails: ['asset.exists', 'asset.name_invalid', ...ON_UPLOAD],
        describes: { body: BODIES },
      }),
    },
    async (request, reply) => {
      const asset = request.isMultipart()
        ? await publishForm(request, reply)
        : await publishObject(reply, assetDetails(request.body));
      return sendJson(reply, assetJson(asset), 201);
    },
  );

  app.get('/admin/asset', operation('listAssets', 'List assets', listOf(Asset)), async (request, reply) =>
    answerSearch(request, reply, {
      count: ({ where }) => assets.count(request.actor, where),
      search: (page) => assets.search(request.actor, page),
      render: assetsJson,
      parseQuery,
      pages,
    }),
  );

  app.delete(
    '/admin/asset/:name',
    operation('removeAsset', 'Remove an asset and its bytes', { fails: ['asset.not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, assets.remove(actor, params.name)),
  );
};
