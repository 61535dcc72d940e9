// An S3 server in a separate process. Prints its port when it listens.
import { startFauxqs } from 'fauxqs';

const [, , bucket = '', folder] = process.argv;
const server = await startFauxqs({
  port: 0,
  host: '127.0.0.1',
  logger: false,
  ...(folder === undefined ? {} : { s3StorageDir: folder }),
  init: { buckets: [bucket] },
});
process.stdout.write(`${server.port}\n`);
process.on('disconnect', () => process.exit());
