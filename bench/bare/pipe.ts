// The baseline for transfers over the same disk: PUT pipes a request into a file, GET pipes a file into a response.
import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const { PORT, FOLDER = '' } = process.env;
const path = join(FOLDER, 'pipe.bin');

async function store(request: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(request, createWriteStream(path));
  // As durable as the server's blob store.
  const file = await open(path, 'r');
  await file.sync();
  await file.close();
}

createServer((request, response) => {
  if (request.url === '/ready') response.end('ready');
  else if (request.method === 'PUT') {
    store(request)
      .then(() => response.end('stored'))
      .catch(() => response.destroy());
  } else {
    stat(path)
      .then(({ size }) => {
        response.setHeader('content-length', size);
        return pipeline(createReadStream(path), response);
      })
      .catch(() => response.destroy());
  }
}).listen(Number(PORT), '127.0.0.1');
