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
