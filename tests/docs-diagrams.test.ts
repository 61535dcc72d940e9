import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fences } from './support/fences.ts';
import { allDocuments, readDocument } from './support/markdown.ts';

const ROOT = join(import.meta.dirname, '..');

const all = allDocuments().flatMap((path) =>
  fences(readDocument(path))
    .filter(({ info }) => info === 'mermaid')
    .map((fence) => ({ path, fence })),
);

/** Allowed characters of a label: mermaid interprets brackets and bars in it, unless the label is quoted. */
const LABEL = '(?:"[^"]*"|[^\\s"()[\\]{}|][^"()[\\]{}|]*)';
const NODE = `[A-Za-z]\\w*(?:\\[${LABEL}\\]|\\(\\[${LABEL}\\]\\)|\\[\\(${LABEL}\\)\\]|\\{${LABEL}\\}|\\(${LABEL}\\))?`;
const EDGE = `(?:-->|<-->|<?-\\.->|---|==>)(?:\\|${LABEL}\\|)?`;
const FLOWCHART_LINE = new RegExp(
  `^(?:${NODE}(?: ${EDGE} ${NODE})*|subgraph [A-Za-z]\\w* ?\\[${LABEL}\\]|direction (?:LR|TD)|end)$`,
);

describe('diagrams in mermaid', () => {
  it.each(all)('use syntax that mermaid understands: $path:$fence.line', ({ fence }) => {
    const [head = '', ...lines] = fence.text.trimEnd().split('\n');
    expect(head).toMatch(/^(?:flowchart (?:LR|TD)|sequenceDiagram)$/);
    const odd = lines.filter((line) => head.startsWith('flowchart') && !FLOWCHART_LINE.test(line.trim()));
    expect(odd).toEqual([]);
    const opened = lines.filter((line) => /^ *(?:subgraph|alt|opt|loop|par|rect)\b/.test(line)).length;
    expect(lines.filter((line) => line.trim() === 'end')).toHaveLength(opened);
  });

  it('name folders and routes that exist', () => {
    const text = all.map(({ fence }) => fence.text).join('\n');
    const folders = text.match(/\bpackages\/[\w/-]+/g) ?? [];
    expect(folders).toContain('packages/http/src/live');
    expect(folders.filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
    const { paths } = JSON.parse(readDocument('docs/openapi.json'));
    const served = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i')),
    );
    const routes = text.match(/\b(?:GET|POST|PUT|PATCH|DELETE) \/[\w/{}-]+/g) ?? [];
    expect(routes).toContain('GET /live');
    expect(routes.filter((route) => !served.some((one) => one.test(route)))).toEqual([]);
  });
});

/** The lines of a sequence diagram: its participants, messages between them, notes. */
const SEQUENCE_LINE = /^(?:sequenceDiagram|participant \w+(?: as .+)?|\w+--?>>\w+: .+|Note over \w+(?:,\w+)?: .+)$/;

describe('sequence diagrams', () => {
  const diagrams = all.filter(({ fence }) => fence.text.startsWith('sequenceDiagram'));

  it.each(diagrams)('declare each participant: $path:$fence.line', ({ fence: { text } }) => {
    const lines = text.trim().split('\n');
    expect(lines.map((line) => line.trim()).filter((line) => !SEQUENCE_LINE.test(line))).toEqual([]);
    const declared = Array.from(text.matchAll(/^ *participant (\w+)/gm), ([, id]) => id);
    const participants = Array.from(text.matchAll(/^ *(\w+)--?>>(\w+):/gm), ([, from, to]) => [from, to]).flat();
    expect(participants.filter((id) => !declared.includes(id))).toEqual([]);
  });
});
