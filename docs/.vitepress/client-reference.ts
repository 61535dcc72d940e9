import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
// biome-ignore lint/correctness/noUndeclaredDependencies: the project has it, and is installed before the site
import { parseAst } from 'rolldown/parseAst';
import { type Page, prose } from './http-reference.ts';

const SOURCES = join(import.meta.dirname, '../../packages/client/src');

/** The modules of the client, and their main files. */
export const MODULES: Readonly<Record<string, string>> = {
  '@baobab/client': 'index.ts',
  '@baobab/client/live': 'live/live.ts',
  '@baobab/client/offline': 'offline/offline.ts',
  '@baobab/client/expo': 'offline/expo.ts',
  '@baobab/client/react': 'react/react.ts',
  '@baobab/client/admin': 'admin/admin.ts',
};

/** The pages, with the files or folders whose declarations they show. The first page that fits gets a declaration. */
const PAGES: ReadonlyArray<readonly [name: string, title: string, sources: RegExp]> = [
  ['client', 'Client: options and errors', /^(?:client|dates|errors?|error-codes|options|session-source)/],
  ['authentication', 'Client: authentication', /^session\//],
  ['documents', 'Client: documents', /^documents\//],
  ['realtime', 'Client: realtime', /^(?:live\/|query\/live)/],
  ['queries', 'Client: queries', /^(?:query|transport)\//],
  ['files', 'Client: files and assets', /^files\//],
  ['people', 'Client: users, groups and push', /^people\//],
  ['offline', 'Client: offline', /^offline\//],
  ['react', 'Client: React hooks', /^react\//],
  ['administration', 'Client: administration', /^admin/],
  ['data-types', 'Client: data types', /./],
];

/** The parts of a syntax tree that are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly id?: Node;
  readonly body?: Node | readonly Node[];
  readonly declaration?: Node | null;
  readonly declarations?: readonly Node[];
  readonly init?: Node | null;
  readonly typeAnnotation?: Node | null;
  readonly source?: Node | null;
  readonly specifiers?: readonly Node[];
  readonly local?: Node;
  readonly imported?: Node;
  readonly exported?: Node;
  readonly extends?: readonly Node[];
  readonly expression?: Node;
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly body: readonly Node[];
}

/** A declaration of an exported name, or of one that an exported interface extends. */
interface Declaration {
  readonly name: string;
  readonly source: Source;
  readonly statement: Node;
  readonly node: Node;
}

const sources = new Map<string, Source>();

function read(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(SOURCES, file), 'utf8');
  const { body } = parseAst(text, { lang: 'ts' }) as unknown as { readonly body: readonly Node[] };
  const source = { file, text, body };
  sources.set(file, source);
  return source;
}

const fileOf = (from: string, specifier: unknown) => relative(SOURCES, join(SOURCES, dirname(from), String(specifier)));

/** The names that a statement declares. */
function namesOf(node: Node): ReadonlyArray<readonly [string, Node]> {
  if (node.declarations !== undefined) return node.declarations.map((one) => [one.id?.name ?? '', node] as const);
  return node.id?.name === undefined ? [] : [[node.id.name, node]];
}

/** Finds the declaration of a name, in its file or where that file has it from. */
function find(name: string, file: string): Declaration | null {
  const source = read(file);
  for (const statement of source.body) {
    const node = statement.type === 'ExportNamedDeclaration' ? (statement.declaration ?? null) : statement;
    if (node !== null && namesOf(node).some(([own]) => own === name)) return { name, source, statement, node };
    const linked = findLinked(name, file, statement);
    if (linked !== null) return linked;
  }
  return null;
}

/** Finds the declaration of a name in the file from which a statement has it. */
function findLinked(name: string, file: string, { type, source, specifiers = [] }: Node): Declaration | null {
  const origin = String(source?.value ?? '');
  if (!origin.startsWith('.')) return null;
  if (type === 'ExportAllDeclaration') return find(name, fileOf(file, origin));
  const link = specifiers.find((one) => (one.exported ?? one.local)?.name === name);
  return link === undefined ? null : find((link.imported ?? link.local)?.name ?? name, fileOf(file, origin));
}

/** The names that a module exports. */
function exportsOf(file: string): string[] {
  return read(file).body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const own = statement.declaration ? namesOf(statement.declaration).map(([name]) => name) : [];
    return [...own, ...(statement.specifiers ?? []).map(({ exported }) => exported?.name ?? '')];
  });
}

/** The comment directly before a statement, as text. */
function docOf({ source, statement }: Declaration): string {
  const before = source.text.slice(0, statement.start).trimEnd();
  const start = before.lastIndexOf('/**');
  if (!before.endsWith('*/') || start < 0) return '';
  const lines = before.slice(start + 3, -2).split('\n');
  return prose(lines.map((line) => line.replace(/^\s*\* ?/, '').trim()).join('\n')).trim();
}

/** The code of a declaration without what it does. */
function codeOf({ source: { text }, statement, node, name }: Declaration): string {
  const whole = text.slice(statement.start, statement.end);
  if (node.type === 'FunctionDeclaration' && !Array.isArray(node.body) && node.body) {
    return `${text.slice(statement.start, (node.body as Node).start).trimEnd()};`;
  }
  if (node.type === 'ClassDeclaration') return classCode(text, statement, node);
  const declared = node.declarations?.find(({ id }) => id?.name === name);
  if (declared === undefined) return whole;
  const { id, init } = declared;
  if (id?.typeAnnotation) return `${text.slice(statement.start, id.end)};`;
  const body = init?.type === 'ArrowFunctionExpression' ? (init.body as Node | undefined) : undefined;
  return body === undefined ? whole : `${text.slice(statement.start, body.start).replace(/\s*=>\s*$/, '')};`;
}

/** A class without the bodies of its methods. */
function classCode(text: string, statement: Node, { body }: Node): string {
  const members = ((body as Node | undefined)?.body ?? []) as readonly Node[];
  let code = '';
  let from = statement.start;
  for (const { value } of members) {
    const block = (value as Node | null | undefined)?.body as Node | null | undefined;
    if (block?.type !== 'BlockStatement') continue;
    code += `${text.slice(from, block.start).trimEnd()};`;
    from = block.end;
  }
  return code + text.slice(from, statement.end);
}

/** The interfaces that a declaration extends, unless they come from elsewhere. */
const extended = ({ node, source }: Declaration): Declaration[] =>
  (node.extends ?? []).flatMap(({ expression }) => find(expression?.name ?? '', source.file) ?? []);

/** All declarations of a module, and those of which they consist. */
export function declarationsOf(file: string): Declaration[] {
  const found: Declaration[] = [];
  const waiting = exportsOf(file).map((name) => {
    const declaration = find(name, file);
    if (declaration === null) throw new Error(`${file}: the declaration of ${name} is not found`);
    return declaration;
  });
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    const { statement } = one;
    if (found.some((other) => other.statement === statement && other.name === one?.name)) continue;
    found.push(one);
    waiting.push(...extended(one));
  }
  return found;
}

function sectionOf(declaration: Declaration, module: string): string {
  const doc = docOf(declaration);
  const code = codeOf(declaration).replace(/^export /, '');
  return `## ${declaration.name}\n\n${doc === '' ? '' : `${doc}\n\n`}Module: \`${module}\`\n\n\`\`\`ts\n${code}\n\`\`\`\n\n`;
}

/** The pages of the client, from the sources of its types. */
export function clientPages(): Page[] {
  const shown = new Map<Node, string>();
  const sections = new Map(PAGES.map(([name]) => [name, [] as string[]]));
  for (const [module, file] of Object.entries(MODULES)) {
    for (const declaration of declarationsOf(file)) {
      if (shown.has(declaration.statement)) continue;
      shown.set(declaration.statement, module);
      const [page = ''] = PAGES.find(([, , pattern]) => pattern.test(declaration.source.file)) ?? [];
      sections.get(page)?.push(sectionOf(declaration, module));
    }
  }
  return PAGES.map(([name, title]) => {
    const intro = `Generated from the types of [the client](/docs/client). [Data, realtime and React](/docs/client-data) explains the calls with examples.`;
    return { name, title, text: `# ${title}\n\n${intro}\n\n${sections.get(name)?.join('') ?? ''}` };
  });
}
