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
  return Array.from(
    textOf(path).matchAll(/\[([^\]]+)\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g),
    ([, shown = '', to = '', anchor = '']) => ({
      text: shown.replaceAll(/\s+/g, ' '),
      path: to === '' ? path : join(dirname(path), to),
      anchor,
    }),
  ).filter(({ path: to }) => to.endsWith('.md') && existsSync(join(ROOT, to)));
}

/** Returns the anchor of a heading, as GitHub and the site generator make it. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

const textOf = (path: string) => readDocument(path).replaceAll(FENCES, '');

/** Returns the section to which a link leads, with its subsections; null if there is none. */
export function sectionOf({ path, anchor }: Link): string | null {
  const markdown = textOf(path);
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
function subjectOf(path: string): string {
  const markdown = textOf(path);
  const headings = Array.from(markdown.matchAll(/^#+ .*$/gm), ([heading]) => heading);
  return [path, markdown.split(/^## /m)[0], ...headings].join('\n');
}

/** Returns the beginning of a word, which its other forms share. */
const stemOf = (word: string) => word.toLowerCase().slice(0, Math.min(5, Math.max(4, word.length - 2)));

/** Returns true if the target of a link has one of the words of the link: in its section, or in the subject of a page. */
export function leadsTo(link: Link): boolean {
  const { text, path, anchor } = link;
  const target = anchor === '' ? subjectOf(path) : sectionOf(link);
  if (target === null) return false;
  const words = (text.match(/\p{L}{4,}/gu) ?? []).filter((word) => !EMPTY.test(word));
  const found = `${path}\n${target}`.toLowerCase();
  return words.length === 0 || words.some((word) => found.includes(stemOf(word)));
}
