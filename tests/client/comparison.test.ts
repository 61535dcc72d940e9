import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { fences } from '../support/fences.ts';
import { INSIDE } from '../support/leftovers.ts';
import { readDocument } from '../support/markdown.ts';

const PAGE = readDocument('docs/client-comparison.md');
const blocks = fences(PAGE);
const textOf = (info: string) => blocks.filter((fence) => fence.info === info).map(({ text }) => text);
const linesOf = (text: string) => text.trim().split('\n').length;

const HEAD = `
import { createClient } from '@baobab/client';
interface App { collections: { notes: { title: string; litres?: number } } }
const baobab = createClient<App>({ url: 'http://localhost', appCode: 'x' });
const notes = baobab.collection('notes');
declare const [password, file, show]: [string, File, (sent: number) => void];
`;

describe('the page docs/client-comparison.md', () => {
  it('has code of this client that compiles', () => {
    // Inside the project, so that the packages are found.
    const { path: folder, remove } = createFolder(INSIDE);
    const file = join(folder, 'program.ts');
    writeFileSync(file, HEAD + textOf('ts').join('\n'));
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      customConditions: ['source'],
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: [],
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    };
    const problems = ts.getPreEmitDiagnostics(ts.createProgram([file], options));
    remove();
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });

  it('has code of the others that can be parsed', () => {
    for (const text of [...textOf('js supabase'), ...textOf('js pocketbase')]) {
      const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
      expect(ts.transpileModule(text, { compilerOptions, reportDiagnostics: true }).diagnostics).toEqual([]);
    }
  });

  it('counts the lines of each task', () => {
    const [, table = ''] = PAGE.split('| Lines of code |');
    const rows = [...(table.split('\n\n')[0]?.matchAll(/^\| [A-Z].* \| (\d+) \| (\d+) \| (\d+) \|$/gm) ?? [])];
    const counted = rows.map(([, ...cells]) => cells.map(Number));
    const kinds = ['ts', 'js supabase', 'js pocketbase'].map((info) => textOf(info).map(linesOf));
    expect(counted).toEqual(counted.map((_row, at) => kinds.map((lines) => lines[at])));
    expect(counted).toHaveLength(kinds[0]?.length ?? 0);
  });
});
