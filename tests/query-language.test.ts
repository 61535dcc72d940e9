import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEYWORDS } from '../packages/core/src/criteria/reader.ts';
import { type Call, createWorld } from './support/backend.ts';
import { type Fence, fences } from './support/fences.ts';
import { codesIn, readDocument } from './support/markdown.ts';

const text = readDocument('docs/query-language.md');
const blocks = fences(text);

interface Example {
  readonly line: number;
  readonly query: string;
  readonly output: string;
}

/** A parameter on each line, before it is encoded. */
function queryOf({ text: lines }: Fence): string {
  const parts = lines
    .trim()
    .split('\n')
    .map((line): [string, string] => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    });
  return new URLSearchParams(parts).toString();
}

const examples = blocks.flatMap((block, index): Example[] => {
  const next = blocks[index + 1];
  if (block.info !== 'query' || next?.info !== 'json') return [];
  return [{ line: block.line, query: queryOf(block), output: next.text }];
});

describe('the document of the query language', () => {
  let backend: TestBackend;
  let call: Call;
  let token: string;

  beforeAll(async () => {
    backend = await createTestBackend();
    const world = createWorld(backend);
    call = world.call;
    token = await world.admin();
    await call('POST', '/admin/collection/books', { token });
    const documents = JSON.parse(blocks.find(({ info }) => info === 'json documents')?.text ?? '[]');
    for (const body of documents) expect((await call('POST', '/document/books', { token, body })).status).toBe(200);
  });
  afterAll(() => backend.close());

  it('has at least ten examples', () => {
    expect(examples.length).toBeGreaterThan(10);
    expect(blocks.filter(({ info }) => info === 'query')).toHaveLength(examples.length);
  });

  it.each(examples)('shows the real answer in line $line', async ({ query, output }) => {
    const { status, body, data } = await call('GET', `/document/books?${query}`, { token });
    expect([status, body.message]).toEqual([200, undefined]);
    // As text: the order of the members counts.
    expect(JSON.stringify(data)).toBe(JSON.stringify(JSON.parse(output)));
  });

  it('names every keyword', () => {
    const [, list = ''] = /These words are names only in backticks[^:]*: ([^.]*)\./.exec(text) ?? [];
    expect(codesIn(list)).toEqual(Array.from(KEYWORDS));
  });

  it('has every keyword in its grammar, and no other word', async () => {
    const grammar = blocks.find(({ info }) => info === 'ebnf')?.text ?? '';
    const words = new Set(Array.from(grammar.matchAll(/"([a-z]\w+)"/gi), ([, word = '']) => word));
    const keywords = [...words].filter((word) => KEYWORDS.has(word.toLowerCase()));
    expect(keywords.map((word) => word.toLowerCase()).sort()).toEqual([...KEYWORDS].sort());
    const queries: Readonly<Record<string, string>> = {
      avg: 'fields=avg(price)',
      count: 'fields=count(*)',
      collate: "orderBy=title collate 'de'",
      date: "where=_creation_date > date('2014-01-31')",
      distance: 'where=distance(lat, lon, 50, 14) < 1',
      length: 'where=title.length() > 1',
      max: 'fields=max(year)',
      min: 'fields=min(year)',
      size: 'where=tags.size() > 1',
      sum: 'fields=sum(year)',
      sysdate: 'where=_creation_date <= sysdate()',
      toLowerCase: "where=title.toLowerCase() = 'pnin'",
      toUpperCase: "where=title.toUpperCase() = 'PNIN'",
    };
    expect([...words].filter((word) => !keywords.includes(word)).sort()).toEqual(Object.keys(queries).sort());
    for (const text of Object.values(queries)) {
      const query = queryOf({ line: 0, info: 'query', text });
      expect([text, (await call('GET', `/document/books?${query}`, { token })).status]).toEqual([text, 200]);
    }
  });

  it('quotes a real error', async () => {
    const [, message = ''] = /`(where, character 6: [^`]*)`/.exec(text) ?? [];
    const answer = await call('GET', '/document/books?where=year+~+5', { token });
    expect(answer.body.message).toBe(`Invalid query: ${message}`);
  });
});
