import { describe, expect, it } from 'vitest';
import { createLimit, failuresOf } from '../../packages/console/src/values/limit.ts';
import { beginsWith } from '../../packages/console/src/values/patterns.ts';
import { isResizable, previewKind, sizesIn } from '../../packages/console/src/values/previews.ts';
import { createUploads, isIdle, type UploadCallOptions } from '../../packages/console/src/views/files/uploads.ts';

describe('previews', () => {
  it.each([
    ['image/png', 'image'],
    ['IMAGE/JPEG; charset=x', 'image'],
    ['image/svg+xml', 'text'],
    ['text/html; charset=utf-8', 'text'],
    ['application/xhtml+xml', 'text'],
    ['application/problem+json', 'text'],
    ['audio/mpeg', 'audio'],
    ['video/webm; codecs=vp8', 'video'],
    ['video/mpeg', null],
    ['application/pdf', null],
    ['application/octet-stream', null],
    ['image/x-icon', null],
    ['', null],
  ])('of %s are %s', (type, kind) => {
    expect(previewKind(type)).toBe(kind);
  });

  it('have the sizes of the setting where the service resizes', () => {
    expect(sizesIn(' 25% <=80px  100-200 ')).toEqual(['25%', '<=80px', '100-200']);
    expect([sizesIn(undefined), sizesIn('')]).toEqual([[], []]);
    expect(['image/webp', 'image/avif', 'image/svg+xml'].map(isResizable)).toEqual([true, false, false]);
  });
});

describe('patterns', () => {
  it('take what one searches for as it is', () => {
    expect(beginsWith('50%_a\\')).toBe('50\\%\\_a\\\\%');
  });
});

/** Tasks that end when the test says so. */
function held() {
  const ends: (() => void)[] = [];
  return {
    work: () => new Promise<void>((resolve) => ends.push(resolve)),
    end: () => ends.shift()?.(),
    running: () => ends.length,
  };
}

describe('limits', () => {
  it('run the next task when one has ended', async () => {
    const { work, end, running } = held();
    const limit = createLimit(2);
    const all = Array.from({ length: 5 }, () => limit(work));
    for (let left = 5; left > 0; left--) {
      await expect.poll(running).toBe(Math.min(2, left));
      end();
    }
    await Promise.all(all);
  });

  it('go on after failures, which are told at the end', async () => {
    const done: number[] = [];
    const failures = await failuresOf([1, 2, 3, 4, 5, 6], async (n) => {
      if (n % 2 === 0) throw new Error(String(n));
      done.push(n);
    });
    expect([done, failures.map(String)]).toEqual([
      [1, 3, 5],
      ['Error: 2', 'Error: 4', 'Error: 6'],
    ]);
  });
});

describe('uploads', () => {
  const file = (name: string) => new File(['content'], name);
  const files = (count: number) => Array.from({ length: count }, (_, n) => file(`file ${n}`));

  it('are sent a few at a time, and only those are remembered', async () => {
    const { work, end } = held();
    const uploads = createUploads(work);
    uploads.add(files(5));
    expect(uploads.state()).toMatchObject({ waiting: 2, done: 0, sending: [{ name: 'file 0' }, {}, {}] });
    end();
    await expect.poll(() => uploads.state().done).toBe(1);
    await expect.poll(() => uploads.state().waiting).toBe(1);
    expect(uploads.state().sending.map(({ name }) => name)).toEqual(['file 1', 'file 2', 'file 3']);
    for (let n = 2; n <= 5; n++) {
      end();
      await expect.poll(() => uploads.state().done).toBe(n);
    }
    expect(isIdle(uploads.state())).toBe(true);
    uploads.clear();
    expect(uploads.state()).toEqual({ sending: [], waiting: 0, done: 0, failed: 0, failures: [] });
  });

  it('tell how far they are, and what failed', async () => {
    const options: UploadCallOptions[] = [];
    const { work, end } = held();
    const uploads = createUploads(async (_file, given) => {
      options.push(given);
      await work();
      throw new Error('no');
    });
    uploads.add(files(1));
    options[0]?.onProgress({ sent: 3, total: 7 });
    expect(uploads.state().sending).toEqual([{ key: 0, name: 'file 0', total: 7, sent: 3 }]);
    end();
    await expect.poll(() => uploads.state().failed).toBe(1);
    expect(uploads.state().failures).toEqual([{ key: 0, name: 'file 0', error: new Error('no') }]);
  });

  it('can be aborted, one and all, and are then no failures', async () => {
    const uploads = createUploads(
      (_file, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    uploads.add(files(6));
    uploads.abort(1);
    await expect.poll(() => uploads.state().sending.map(({ name }) => name)).toEqual(['file 0', 'file 2', 'file 3']);
    uploads.abortAll();
    await expect.poll(() => isIdle(uploads.state())).toBe(true);
    expect(uploads.state()).toMatchObject({ done: 0, failed: 0 });
  });
});
