import { AppError, type PathStep } from '@baobab/core';
import {
  type CriteriaDialect,
  isPlainStep,
  type JsonPlace,
  type Params,
  type SqlValueForm,
  TRUE,
} from '../sql/criteria/dialect.ts';
import { candidateQuery } from '../sql/criteria/text-tests.ts';

/**
 * Functions that `openConnection` defines on every connection. The second argument of `to_lower_case` is the version of
 * Unicode: an index made with another version does not serve queries, and is built again.
 */
export const TO_LOWER_CASE = 'to_lower_case';
export const TO_UPPER_CASE = 'to_upper_case';
export const KILOMETRES = 'kilometres';

/** End of a call of `to_lower_case`. */
export const LOWER_OF_VERSION = `, '${process.versions.unicode}')`;

const stepText = (step: PathStep) => (typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`);

/** Returns a path in the syntax of SQLite's functions: https://www.sqlite.org/json1.html#path_arguments */
function pathOf(steps: readonly PathStep[], params: Params): string {
  if (!steps.every(isPlainStep)) return params.text(`$${steps.map(stepText).join('')}`);
  return `'$${steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}'`;
}

function form(type: string, value: string): SqlValueForm {
  return {
    rank: `case ${type} when 'text' then 3 when 'integer' then 2 when 'real' then 2 when 'true' then 1 when 'false' then 1
      when 'array' then 4 when 'object' then 4 else 0 end`,
    num: `case ${type} when 'integer' then cast(${value} as real) when 'real' then cast(${value} as real)
      when 'true' then 1.0 else 0.0 end`,
    txt: `case ${type} when 'text' then ${value} else '' end`,
  };
}

function value({ base, steps }: JsonPlace, params: Params): SqlValueForm {
  const path = pathOf(steps, params);
  return form(`json_type(${base}, ${path})`, `${base} ->> ${path}`);
}

const isArray = (base: string, path: string) => `json_type(${base}, ${path}) = 'array'`;

/** Converts a LIKE pattern for GLOB, which has other wildcards: https://www.sqlite.org/lang_expr.html#glob */
function globOf(pattern: string): string {
  return pattern.replace(/\\([\s\S])|([%_*?[])/gu, (_match, escaped: string | undefined, char: string | undefined) => {
    if (char === '%') return '*';
    if (char === '_') return '?';
    const literal = escaped ?? char ?? '';
    return '*?['.includes(literal) ? `[${literal}]` : literal;
  });
}

/** Returns a GLOB pattern that matches exactly the text. */
const literalGlob = (text: string) => text.replace(/[*?[]/g, '[$&]');

/**
 * Returns a part of JSON from its last colon. GLOB scans many positions at a time for the first character, and
 * compares the rest only at matches. A document has few colons, but many quotes and letters.
 */
const fromColon = (part: string) => part.slice(Math.max(0, part.lastIndexOf(':')));

/** Infinity and null are left unchanged. */
const rounded = (sum: string) =>
  `case when abs(${sum}) < 9e999 then cast(printf('%!.15g', ${sum}) as real) else ${sum} end`;

/**
 * Precedes a parameter used as a pattern. If the pattern is a bare parameter, its value may affect the plan, so
 * SQLite prepares the statement again whenever a value is bound: https://www.sqlite.org/c3ref/prepare.html. That
 * takes as long as testing 300 rows.
 */
const GLOB_OF = '+';

/** Quotes a word in the syntax of FTS5. Words contain no quotes. */
const quoted = (word: string) => `"${word}"`;

export const SQLITE_CRITERIA: CriteriaDialect = {
  content: 'documents.content',
  parsed: { base: 'documents.content', from: '' },
  json: (text) => `(${text})`,
  make: { object: 'json_object', array: 'json_array' },
  // A cast would add an affinity. Expressions of an index have none, so they would not match.
  typed: (mark) => mark,
  hint: (index) => ` indexed by ${index}`,
  // https://www.sqlite.org/optoverview.html#crossjoin
  joinsInOrder: true,
  candidates(search, params) {
    const query = candidateQuery(search, {
      exact: quoted,
      prefix: (word) => `${quoted(word)} *`,
      and: ' AND ',
      or: ' OR ',
    });
    return {
      from: 'document_search found cross join ',
      where: `found.document_search match ${params.text(query)} and documents.rowid = found.rowid`,
    };
  },
  prepare: () => null,
  value,
  size({ base, steps }, params) {
    const path = pathOf(steps, params);
    return `case when ${isArray(base, path)} then json_array_length(${base}, ${path}) else -1 end`;
  },
  elements({ base, steps }, alias, params) {
    const path = pathOf(steps, params);
    return {
      // json_each would return the members of an object, and a scalar itself.
      from: `json_each(case when ${isArray(base, path)} then ${base} -> ${path} else '[]' end) ${alias}`,
      value: form(`${alias}.type`, `${alias}.atom`),
      base: `${alias}.value`,
      isObject: `${alias}.type = 'object'`,
    };
  },
  work: () => TRUE,
  like: (txt, pattern, params) => `${txt} glob ${GLOB_OF}${params.text(globOf(pattern))}`,
  containsText: (txt, part, params) => `instr(${txt}, ${params.text(part)}) > 0`,
  containsPart: (text, part, params) => `${text} glob ${GLOB_OF}${params.text(`*${literalGlob(fromColon(part))}*`)}`,
  head: (txt, length) => `substr(${txt}, 1, ${length})`,
  whole: (txt) => txt,
  lengthOf: (txt) => `length(${txt})`,
  toLowerCase: (txt) => `${TO_LOWER_CASE}(${txt}${LOWER_OF_VERSION}`,
  collatedText: (txt) => txt,
  collated() {
    throw new AppError('criteria.invalid', {
      detail: 'orderBy: collate needs PostgreSQL; SQLite sorts texts by code point or with toLowerCase()',
      input: 'orderBy',
    });
  },
  toUpperCase: (txt) => `${TO_UPPER_CASE}(${txt})`,
  textOf: (sql) => `cast(${sql} as text)`,
  idOf: (txt) => txt,
  wireDate: (ms) => `(strftime('%Y-%m-%dT%H:%M:%S', ${ms} / 1000, 'unixepoch') || printf('.%03d+0000', ${ms} % 1000))`,
  kilometres: (of) => `${KILOMETRES}(${of.join(', ')})`,
  addend({ base, steps }, params) {
    const path = pathOf(steps, params);
    const number = `cast(${base} ->> ${path} as real)`;
    return `case json_type(${base}, ${path}) when 'integer' then ${number} when 'real' then ${number} end`;
  },
  total: (name, column) => rounded(`${name}(${column})`),
};
