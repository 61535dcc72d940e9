import ts from 'typescript';

/** How apps compile, with the sources of the packages under their names. */
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

/** For apps whose bundler resolves their imports. */
export const BUNDLED: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

/** What the compiler finds wrong with these files. */
export const typeProblems = (files: readonly string[], options: ts.CompilerOptions = {}) =>
  ts
    .getPreEmitDiagnostics(ts.createProgram([...files], { ...OPTIONS, ...options }))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
