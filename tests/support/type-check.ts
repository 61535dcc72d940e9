import { join } from 'node:path';
import ts from 'typescript';

/** Compiler options of an app that resolves our packages to their sources. */
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  customConditions: ['source'],
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  jsx: ts.JsxEmit.ReactJSX,
  types: [],
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
};

/** Options of apps whose bundler resolves imports. */
export const BUNDLED: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

/** Returns the compiler errors of these files. */
export const typeProblems = (files: readonly string[], options: ts.CompilerOptions = {}) =>
  ts
    .getPreEmitDiagnostics(ts.createProgram([...files], { ...OPTIONS, ...options }))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));

/** Opens the service that editors use, on one module. */
export function openEditor() {
  const file = join(import.meta.dirname, 'edited-module.ts');
  let text = '';
  let version = 0;
  const isFile = (name: string) => name === file || ts.sys.fileExists(name);
  const read = (name: string) => (name === file ? text : ts.sys.readFile(name));
  const service = ts.createLanguageService({
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    directoryExists: ts.sys.directoryExists,
    fileExists: isFile,
    readFile: read,
    getCompilationSettings: () => OPTIONS,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : '0'),
    getScriptSnapshot(name) {
      const content = isFile(name) ? read(name) : undefined;
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });

  function edit(module: string): void {
    text = module;
    version++;
  }

  return {
    /** Returns the texts suggested at the mark `|` of a module. */
    suggestionsAt(module: string): string[] {
      const at = module.indexOf('|');
      edit(module.replace('|', ''));
      return service.getCompletionsAtPosition(file, at, {})?.entries.map(({ name }) => name) ?? [];
    },
    /** Returns the compiler errors of a module. */
    problemsIn(module: string): string[] {
      edit(module);
      const found = service.getSemanticDiagnostics(file);
      return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  };
}
