// The baseline for the server: Fastify without plugins that runs the statement and splices the text into the envelope.
import { createNodeSecrets } from '@baobab/adapters/system';
import Fastify, { type FastifyReply } from 'fastify';
import { createBarePostgres } from './postgres.ts';
import { createBareSqlite } from './sqlite.ts';
import type { Row } from './store.ts';

const { PORT, DATABASE_URL = '', AUTHOR = '' } = process.env;
const LIMIT = 20;
const JSON_TYPE = 'application/json; charset=utf-8';

const store = DATABASE_URL.startsWith('sqlite:')
  ? createBareSqlite(DATABASE_URL.slice('sqlite:'.length), AUTHOR)
  : createBarePostgres(DATABASE_URL, AUTHOR);
const { uuid } = createNodeSecrets('of no importance: only ids are made');
const app = Fastify({ logger: false });

const wireDate = (time: number) => new Date(time).toISOString().replace('Z', '+0000');

function documentJson({ id, author, version, created, updated, content }: Row, collection: string): string {
  return (
    `{"id":"${id}","@ID":"${id}","@rid":"#${id}","@version":${version},"@class":"${collection}",` +
    `"_creation_date":"${wireDate(created)}","_update_date":"${wireDate(updated)}","_author":"${author}",` +
    content.slice(1)
  );
}

const sendDocument = (reply: FastifyReply, row: Row | undefined, collection: string) =>
  row === undefined
    ? reply.status(404).send()
    : reply.type(JSON_TYPE).send(`{"result":"ok","data":${documentJson(row, collection)},"http_code":200}`);

async function sendList(reply: FastifyReply, collection: string, author: string | null) {
  const found = await store.list(collection, author, LIMIT + 1);
  const more = found.length > LIMIT;
  const rows = more ? found.slice(0, LIMIT) : found;
  const data = rows.map((row) => documentJson(row, collection)).join(',');
  const next = more ? `"next":"i${Buffer.from(rows.at(-1)?.id ?? '').toString('base64url')}",` : '';
  return reply.type(JSON_TYPE).send(`{"result":"ok","data":[${data}],"more":${more},${next}"http_code":200}`);
}

app.get<{ Params: { collection: string; id: string } }>('/document/:collection/:id', async ({ params }, reply) =>
  sendDocument(reply, await store.find(params.collection, params.id), params.collection),
);
app.get<{ Params: { collection: string } }>('/document/:collection', async ({ params }, reply) =>
  sendList(reply, params.collection, null),
);
app.get<{ Params: { collection: string } }>('/owned/:collection', async ({ params }, reply) =>
  sendList(reply, params.collection, AUTHOR),
);
app.post<{ Params: { collection: string } }>('/document/:collection', async ({ params, body }, reply) => {
  const created = Date.now();
  const row = {
    id: uuid(created),
    collection: params.collection,
    author: AUTHOR,
    created,
    content: JSON.stringify(body),
  };
  return sendDocument(reply, await store.add(row), params.collection);
});

await app.listen({ host: '127.0.0.1', port: Number(PORT) });
