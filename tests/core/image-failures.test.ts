import { describe, expect, it } from 'vitest';
import { translate } from '../../packages/adapters/src/images/failures.ts';
import { JobFailure } from '../../packages/adapters/src/worker-pool.ts';

describe('a decoder failure', () => {
  it.each([
    ['job', 'image.unreadable'],
    ['time', 'image.unreadable'],
    ['memory', 'image.unreadable'],
    ['thread', 'image.busy'],
    ['closed', 'image.busy'],
  ] as const)('%s: %s', (reason, code) => {
    const failure = new JobFailure(reason, 'what happened');
    expect(translate(failure)).toMatchObject({ code, cause: failure });
  });

  it('is attributed to the image when the library says so', () => {
    const { code, message } = translate(new Error('secret path /tmp/x'));
    expect([code, message.includes('secret')]).toEqual(['image.unreadable', false]);
  });
});
