import type { JsonValue } from '../json-text.ts';

/** What is wrong with a value, or with a schema. */
export interface InputProblem {
  /** A JSON Pointer (RFC 6901); a missing or surplus member by its own path. */
  readonly path: string;
  readonly message: string;
}

/** The most problems that are reported of one value or schema. */
export const MAX_PROBLEMS = 20;

/** A schema that can check values. */
export interface CompiledSchema {
  /**
   * What is wrong with a value: the first `MAX_PROBLEMS` problems, or fewer for a long value; none if it conforms. Takes
   * time in proportion to the value, whatever it contains.
   *
   * @param length the length of its JSON text
   */
  check(value: JsonValue, length: number): readonly InputProblem[];
}

export type SchemaCompilation =
  | { readonly schema: CompiledSchema }
  /** Why there is no such schema: at least one problem, each with a pointer into the schema. */
  | { readonly problems: readonly InputProblem[] };

/** Compiles JSON Schemas (draft 2020-12). */
export interface SchemaCompiler {
  /**
   * Refuses what it does not know or cannot bound: unknown keywords and formats, references outside of the schema,
   * references that lead back to the same value, and patterns that may backtrack.
   */
  compile(schema: JsonValue): SchemaCompilation;
}
