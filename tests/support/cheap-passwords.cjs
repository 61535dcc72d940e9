// Loaded by programs that tests start, before their own code. It makes password hashing some 300 times cheaper, and
// therefore unsafe. Only a Node flag loads it; no setting of the program has this effect.
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  const adapters = join(__dirname, '../../packages/adapters');
  const argon2 = require(require.resolve('argon2', { paths: [adapters] }));
  const { hash } = argon2;
  argon2.hash = (password, options) => hash(password, { ...options, memoryCost: 64, timeCost: 1 });
}
