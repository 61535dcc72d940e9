import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linesOf } from './support/answers.ts';
import { stepsOf } from './support/fences.ts';
import { createReader, type Surroundings } from './support/followed.ts';
import { allDocuments, readDocument } from './support/markdown.ts';
import { createSurroundings } from './support/surroundings.ts';

/** Documents with a test of their own. */
const ELSEWHERE = ['docs/writing-an-adapter.md'];

const followed = allDocuments().filter((path) => !ELSEWHERE.includes(path) && stepsOf(readDocument(path)).length > 0);

/** The README, the index, and the documents of its tour, in that order. */
function tour(): string[] {
  const index = readDocument('docs/README.md');
  const [, list = ''] = /^## The tour\n([\s\S]*?)(?=^## )/m.exec(index) ?? [];
  const named = Array.from(list.matchAll(/^\d+\. .*?\]\(([\w-]+\.md)\)/gm), ([, name]) => `docs/${name}`);
  return ['README.md', 'docs/README.md', ...named];
}

describe('the documents', () => {
  let surroundings: Surroundings & { close(): Promise<void> };

  beforeAll(async () => {
    surroundings = await createSurroundings();
  });
  afterAll(() => surroundings.close());

  async function follow(paths: readonly string[]): Promise<void> {
    const reader = await createReader(surroundings);
    try {
      for (const path of paths) {
        for await (const { line, status, printed, shown } of reader.follow(readDocument(path))) {
          const place = `${path}:${line}`;
          expect({ place, status, printed: linesOf(printed) }).toEqual({ place, status: 0, printed: linesOf(shown) });
        }
      }
    } finally {
      await reader.close();
    }
  }

  // Concurrent as far as vitest is concerned: each of them has a service of its own, which takes a second.
  it.concurrent.each(followed)('hold literally in %s', (path) => follow([path]));

  it('hold on one service from the README to the end of the tour', () => follow(tour()));

  it('cover everything that an app needs', () => {
    const chapters = tour().map((path) => path.replace(/^.*\/|\.md$/g, ''));
    const needed = [
      'users',
      'followers',
      'documents',
      'batches',
      'references',
      'query-language',
      'permissions',
      'files',
      'assets',
      'push',
      'webhooks',
      'social',
      'clients',
      'live',
    ];
    expect(chapters).toEqual(['README', 'README', ...needed]);
    expect(tour().filter((path) => !followed.includes(path))).toEqual([]);
  });
});
