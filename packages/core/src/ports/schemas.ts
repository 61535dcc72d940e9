import type { JsonValue } from '../json-text.ts';

/** An error in a value or in a schema. */
export interface InputProblem {
  /** A JSON Pointer (RFC 6901). A missing or unexpected member has its own path. */
  readonly path: string;
  readonly message: string;
}

/** Maximum number of problems reported for one value or schema. */
export const MAX_PROBLEMS = 20;

/** A schema that can validate values. */
export interface CompiledSchema {
  /**
   * Returns the first `MAX_PROBLEMS` problems of a value (fewer for a long value); none if it conforms. Takes time
   * proportional to the size of the value, regardless of its content.
   *
   * @param length length of the value's JSON text
   */
  check(value: JsonValue, length: number): readonly InputProblem[];
}

export type SchemaCompilation =
  | { readonly schema: CompiledSchema }
  /** Reasons why the schema is invalid: at least one problem, each with a pointer into the schema. */
  | { readonly problems: readonly InputProblem[] };

/** Compiles JSON Schemas (draft 2020-12). */
export interface SchemaCompiler {
  /**
   * Rejects everything unknown or unbounded: unknown keywords and formats, references outside of the schema, references
   * that lead back to the same value, and patterns that may backtrack.
   */
  compile(schema: JsonValue): SchemaCompilation;
}
