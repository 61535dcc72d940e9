import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus } from '../support/people.ts';

const POST = {
  $id: 'https://example.org/post',
  type: 'object',
  properties: {
    title: { type: 'string' },
    replies: { type: 'array', items: { $ref: '#/$defs/reply' } },
    place: { $ref: '#place' },
  },
  required: ['title'],
  additionalProperties: false,
  $defs: {
    reply: { type: 'object', properties: { text: { type: 'string' }, to: { $ref: '#' } } },
    place: { $anchor: 'place', type: 'string' },
  },
};

onEveryStorage('the description of the app’s own collections', (world) => {
  const url = '/openapi.json?collections=true';

  it('has the paths and schemas of each collection, and is valid', async () => {
    const basic = adminOf(world);
    const [typed, free] = [await world.collection(), await world.collection()];
    await expectStatus(world.call('PUT', `/admin/collection/${typed}/schema`, { basic, body: POST }), 200);
    const { body } = await expectStatus(world.call('GET', url, { basic }), 200);
    const { valid, errors = [] } = await new Validator().validate(structuredClone(body));
    expect([valid, errors]).toEqual([true, []]);
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([`/document/${typed}`, `/document/${typed}/{id}`, `/document/${free}`, '/login']),
    );
    const types = astToString(await openapiTypescript(body));
    expect(types).toContain(`"application/json": components["schemas"]["${typed}.content"];`);
    expect(types).toContain(`data: components["schemas"]["${typed}.document"][];`);
    expect(types).toContain(`data: components["schemas"]["${free}.document"];`);
    const { schemas } = body.components;
    const root = `#/components/schemas/${typed}.content`;
    expect(schemas[`${typed}.content`].properties).toMatchObject({
      replies: { items: { $ref: `${root}/$defs/reply` } },
      place: { $ref: `${root}/$defs/place` },
    });
    expect(schemas[`${typed}.document`].required).toEqual(expect.arrayContaining(['id', '@version', 'title']));
    const ids = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is for administrators; the description without them is for everybody', async () => {
    const { token } = await world.user();
    expectFailure(await world.call('GET', url, { token }), 403);
    expectFailure(await world.call('GET', url), 401);
    expectFailure(await world.call('GET', url, { token: 'wrong' }), 401);
    expectFailure(await world.call('GET', url, { basic: adminOf(world), appCode: null }), 400);
    const { body } = await expectStatus(world.call('GET', '/openapi.json', { appCode: null }), 200);
    expect(body.tags.map(({ name }: { name: string }) => name)).not.toContain('books1');
  });
});
