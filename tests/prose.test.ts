import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
/** Generated from the sources. */
const EXCLUDED = ['docs/openapi.json', 'packages/http/src/reference/examples.json'];

const TRANSLATED = /picture\sof|nothing\sof\sa|\bso\smany\b|by\sitself\sstands/gi;

/**
 * "Who" needs a noun before it, or asks a question ("decides who may read"). Without either, as a subject of its own, it
 * is translated. Add a word here when it makes an English sentence.
 */
const BEFORE_WHO =
  /(?:\busers?|callers?|administrators?|operators?|attackers?|people|somebody|anybody|\band|by|predict|decides?) $/i;
/** A description that says who: "Who may send: administrator or registereduser". */
const QUESTION = /^who\smay \w+: /i;

/** The text with comments and paragraphs on one line, so that a phrase is found where it wraps. */
const unwrapped = (text: string) => text.replace(/\n[ \t]*(?:\*|\/\/|#|>)?[ \t]*/g, ' ');

function translatedPhrases(text: string): string[] {
  const line = unwrapped(text);
  const withoutNoun = Array.from(line.matchAll(/\bwho (?:reads|asks|has|may|makes) /gi)).filter(
    ({ index }) => !BEFORE_WHO.test(line.slice(0, index)) && !QUESTION.test(line.slice(index)),
  );
  return [...line.matchAll(TRANSLATED), ...withoutNoun].map(({ index }) =>
    line.slice(Math.max(0, index - 30), index + 40),
  );
}

const texts = ['.', 'docs', 'packages', 'tests', 'bench', 'scripts', 'examples'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: folder !== '.', withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:md|ts|mjs|json|ya?ml)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist|package-lock\.json)/.test(path) && !EXCLUDED.includes(path)),
);

it('is recognized when it is translated, and only then', () => {
  const translated = [
    'Who\nreads it gets 404',
    'for who may\n * read everything',
    'a picture\nof all rows',
    'nothing\n// of a piece',
    'as many nodes, so\n// many rows',
  ];
  for (const text of translated) expect(translatedPhrases(text), text).toHaveLength(1);
  const english = [
    'Users who may read it',
    'callers who\n// may read',
    'decides who may send',
    'Who may send: anybody',
  ];
  for (const text of english) expect(translatedPhrases(text), text).toEqual([]);
});

it('is not translated anywhere', () => {
  expect(texts.length).toBeGreaterThan(500);
  const found = texts.flatMap((path) =>
    translatedPhrases(readFileSync(join(ROOT, path), 'utf8')).map((phrase) => `${path}: ${phrase}`),
  );
  expect(found).toEqual([]);
});
