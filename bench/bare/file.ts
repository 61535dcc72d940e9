// The baseline for stored image variants: Fastify with one route that streams a file.
import { createReadStream } from 'node:fs';
import Fastify from 'fastify';

const { PORT, FILE = '' } = process.env;

const app = Fastify({ logger: false });
app.get('/', (_request, reply) => reply.type('image/jpeg').send(createReadStream(FILE)));
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
