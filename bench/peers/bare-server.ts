// Fastify with the shortest possible route for each row of the comparison. The author comes from an unauthenticated
// header.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Fastify, { type FastifyReply } from 'fastify';
import { type BareRow, type Field, filesIn, openPostgresStore, openSqliteStore } from './bare-store.ts';

const { PORT, DATABASE_URL = '', FOLDER = '' } = process.env;
const COLLECTIONS = ['few', 'many', 'changed', 'created', 'files'];
const JSON_TYPE = 'application/json; charset=utf-8';

const store = DATABASE_URL.startsWith('sqlite:')
  ? openSqliteStore(DATABASE_URL.slice('sqlite:'.length), COLLECTIONS)
  : openPostgresStore(DATABASE_URL, COLLECTIONS);
const files = filesIn(FOLDER);
const app = Fastify({ logger: false });

interface Place {
  Params: { collection: string; id: string };
  Headers: { author: string };
}
interface Question {
  Params: { collection: string };
  Querystring: { field?: Field; value?: string; total?: string };
  Headers: { author: string };
}

const wire = ({ id, author, created, content }: BareRow) =>
  `{"id":"${id}","author":"${author}","created":${created},${content.slice(1)}`;

const send = (reply: FastifyReply, row: BareRow | undefined) =>
  row === undefined ? reply.status(404).send() : reply.type(JSON_TYPE).send(wire(row));

/** Returns ids that ascend with time. */
const newId = (now: number) => `${now.toString(36)}-${randomUUID()}`;

app.get('/ready', async () => 'ready');
app.get<Place>('/document/:collection/:id', async ({ params, headers }, reply) => {
  const row = await store.find(params.collection, params.id);
  return send(reply, row?.author === headers.author ? row : undefined);
});
app.post<Place>('/document/:collection', async ({ params, headers, body }, reply) => {
  const created = Date.now();
  const row = { id: newId(created), author: headers.author, created, content: JSON.stringify(body) };
  await store.add(params.collection, row);
  return send(reply, row);
});
app.put<Place>('/document/:collection/:id', async ({ params, headers, body }, reply) => {
  const row = { id: params.id, author: headers.author, content: JSON.stringify(body) };
  return send(reply, await store.change(params.collection, row));
});
app.get<Question>('/document/:collection', async ({ params, headers, query }, reply) => {
  const { field = null, value = '', total } = query;
  const [rows, count] = await Promise.all([
    store.newest(params.collection, headers.author, field, value),
    total === undefined ? null : store.count(params.collection, headers.author),
  ]);
  return reply.type(JSON_TYPE).send(`{"data":[${rows.map(wire).join(',')}],"total":${count}}`);
});

/** Stores an upload as durably as the server: the bytes are on disk before the row. */
async function keep(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'wx');
    for await (const chunk of bytes) await file.write(chunk);
    await file.sync();
  } finally {
    await file?.close();
  }
}

app.addContentTypeParser('text/plain', (_request, payload, done) => done(null, payload));
app.post<{ Body: AsyncIterable<Uint8Array>; Headers: { author: string } }>(
  '/file',
  async ({ body, headers }, reply) => {
    const created = Date.now();
    const id = newId(created);
    await keep(join(files, id), body);
    await store.add('files', { id, author: headers.author, created, content: '{}' });
    return reply.type(JSON_TYPE).send(JSON.stringify({ id }));
  },
);
app.get<Place>('/file/:id', async ({ params, headers }, reply) => {
  const row = await store.find('files', params.id);
  if (row?.author !== headers.author) return reply.status(404).send();
  const path = join(files, row.id);
  const { size } = await stat(path);
  return reply.type('text/plain').header('content-length', size).send(createReadStream(path));
});

await app.listen({ host: '127.0.0.1', port: Number(PORT) });
