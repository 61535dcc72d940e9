import { type Actor, type CollectionSchemas, type Collections, isJsonObject } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type DescribedCollection, describeCollections } from '../reference/collections.ts';
import type { OpenApi } from '../reference/document.ts';
import { FreeObject, OptionalText } from '../schemas/common.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('reference');

/** Failures of a caller who is identified only if needed. */
const ON_IDENTITY = [
  'admin.required',
  'app_code.invalid',
  'auth.invalid',
  'auth.required',
  'passwords.busy',
  'rate.limited',
  'session.invalid',
] as const;

export interface ReferenceOptions {
  /** Returns the OpenAPI document of all routes as JSON text. */
  document(): Promise<string>;
  readonly collections: Collections;
  readonly collectionSchemas: CollectionSchemas;
  /** Identifies the caller on a route without authentication. @throws as on other routes */
  identify(request: FastifyRequest): Promise<Actor>;
}

export const referenceRoutes: Routes<ReferenceOptions> = async (app, options) => {
  const { document, collections, collectionSchemas, identify } = options;

  async function schemaOf(actor: Actor, name: string): Promise<DescribedCollection> {
    const text = await collectionSchemas.find(actor, name);
    const schema: unknown = text === null ? null : JSON.parse(text);
    return { name, schema: isJsonObject(schema) ? schema : null };
  }

  /** Returns the document with the app's collections. @throws `auth.required`, `admin.required` */
  async function documentWithCollections(actor: Actor): Promise<string> {
    const described: DescribedCollection[] = [];
    for (const name of await collections.names(actor)) described.push(await schemaOf(actor, name));
    return JSON.stringify(describeCollections(JSON.parse(await document()) as OpenApi, described));
  }

  app.get(
    '/openapi.json',
    operation('openApi', 'Read this document as OpenAPI 3.1', {
      querystring: Type.Object({
        collections: OptionalText('`true`: with the collections of the app, for administrators'),
      }),
      response: { 200: FreeObject },
      access: 'open',
      fails: ON_IDENTITY,
    }),
    async (request, reply) => {
      const { collections: isWanted } = request.query;
      const text = isWanted === 'true' ? await documentWithCollections(await identify(request)) : await document();
      return reply.type('application/json; charset=utf-8').send(text);
    },
  );
};
