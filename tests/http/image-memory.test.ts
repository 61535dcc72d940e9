import { createTestBackend } from '@baobab/server/testing';
import { expect, it } from 'vitest';
import { publishedImage } from '../support/assets.ts';
import { createWorld } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';

const MEGABYTE = 1_000_000;

it('an image that takes more memory than the server has is 400, with both numbers', async () => {
  const backend = await createTestBackend({ imageLimits: { maxBytes: MEGABYTE } });
  try {
    const world = createWorld(backend);
    const name = await publishedImage(world, 'progressive.jpg');
    const answer = await world.call('GET', `/asset/${name}/resize/10/10`, { token: await world.admin() });
    expectFailure(answer, 400);
    expect(answer.body.code).toBe('image.too_large');
    expect(answer.body.message).toMatch(/: it takes \d+ MB of memory, and the limit of this server is 1 MB$/);
  } finally {
    await backend.close();
  }
});

it('an original that is too large for the memory of the server is 400, with both numbers', async () => {
  const backend = await createTestBackend({ imageLimits: { maxSourceBytes: 100 } });
  try {
    const world = createWorld(backend);
    const name = await publishedImage(world, 'baseline.jpg');
    const answer = await world.call('GET', `/asset/${name}/resize/10/10`, { token: await world.admin() });
    expectFailure(answer, 400);
    expect(answer.body.message).toMatch(/: it has \d+ bytes, and the limit of this server is 100$/);
  } finally {
    await backend.close();
  }
});
