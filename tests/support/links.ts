import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readDocument } from './markdown.ts';

const ROOT = join(import.meta.dirname, '../..');
const FENCES = /^( *)```.*\n[\s\S]*?^\1```$/gm;
/** Words that say nothing about the target of a link. */
const EMPTY =
  /^(?:also|about|below|complete|details|does|each|every|from|have|here|http|into|list|measured|more|other|page|same|some|such|than|that|them|their|they|this|what|when|where|which|whole|with|your)$/i;

export interface Link {
  readonly text: string;
  /** Path of the document that it leads to, relative to the root of the project. */
  readonly path: string;
  /** Anchor of a section; empty for the whole page. */
  readonly anchor: string;
}

/** Returns the links of a document to documents. */
export function linksOf(path: string): Link[] {
  const text = readDocument(path).replaceAll(FENCES, '');
  return Array.from(
    text.matchAll(/\[([^\]]+)\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g),
    ([, shown = '', to = '', anchor = '']) => ({
      text: shown.replaceAll(/\s+/g, ' '),
      path: to === '' ? path : join(dirname(path), to),
      anchor,
    }),
  ).filter(({ path: to }) => to.endsWith('.md') && existsSync(join(ROOT, to)));
}

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

/** Returns the section with this anchor, with its subsections; null if there is none. */
function sectionAt(markdown: string, anchor: string): string | null {
  const heads = Array.from(markdown.matchAll(/^(#+) (.*)$/gm), ({ index, 1: marks = '', 2: title = '' }) => ({
    index,
    level: marks.length,
    title,
  }));
  const at = heads.findIndex(({ title }) => anchorOf(title) === anchor);
  const head = heads[at];
  if (head === undefined) return null;
  const next = heads.slice(at + 1).find(({ level }) => level <= head.level);
  return markdown.slice(head.index, next?.index);
}

/** Returns the name, the headings and the introduction of a page. */
function subjectOf(path: string, markdown: string): string {
  const headings = Array.from(markdown.matchAll(/^#+ .*$/gm), ([heading]) => heading);
  return [path, markdown.split(/^## /m)[0], ...headings].join('\n');
}

/** Returns the beginning of a word, which its other forms share. */
const stemOf = (word: string) => word.toLowerCase().slice(0, Math.min(5, Math.max(4, word.length - 2)));

/** Returns true if the target of a link has one of the words of the link: in its section, or in the subject of a page. */
export function leadsTo({ text, path, anchor }: Link): boolean {
  const markdown = readDocument(path).replaceAll(FENCES, '');
  const target = anchor === '' ? subjectOf(path, markdown) : sectionAt(markdown, anchor);
  if (target === null) return false;
  const words = (text.match(/\p{L}{4,}/gu) ?? []).filter((word) => !EMPTY.test(word));
  const found = `${path}\n${target}`.toLowerCase();
  return words.length === 0 || words.some((word) => found.includes(stemOf(word)));
}
