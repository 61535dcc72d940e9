import { isHardPattern, type PathStep } from '@baobab/core';
import { type CriteriaDialect, isPlainStep, type JsonPlace, type SqlValueForm } from '../sql/criteria/dialect.ts';
import type { Params } from '../sql/criteria/params.ts';
import { TRUE } from '../sql/criteria/scalars.ts';

/** Functions that `openConnection` defines on every connection. */
export const TO_LOWER_CASE = 'to_lower_case';
export const TO_UPPER_CASE = 'to_upper_case';
export const KILOMETRES = 'kilometres';
/** Whether a text matches a canonical pattern. */
export const IS_LIKE = 'is_like';

const stepText = (step: PathStep) => (typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`);

/** A path in the syntax of SQLite's functions: https://www.sqlite.org/json1.html#path_arguments */
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

/** The same pattern for GLOB, which has other wildcards: https://www.sqlite.org/lang_expr.html#glob */
function globOf(pattern: string): string {
  return pattern.replace(/\\([\s\S])|([%_*?[])/gu, (_match, escaped: string | undefined, char: string | undefined) => {
    if (char === '%') return '*';
    if (char === '_') return '?';
    const literal = escaped ?? char ?? '';
    return '*?['.includes(literal) ? `[${literal}]` : literal;
  });
}

/** A text as a pattern for GLOB that matches it. */
const literalGlob = (text: string) => text.replace(/[*?[]/g, '[$&]');

/** Characters from common to rare in JSON; those that are not listed are rarer. */
const COMMON = ' "eatoinsrlhdcum,pfgbwyv0123456789-.:kxzjq_'; // cspell:disable-line
/** GLOB finds these slowly at the beginning: wildcards, and what is not ASCII. */
const SLOW = /[*?[\u0080-\uffff]/;

const rarity = (char: string) => {
  if (SLOW.test(char)) return -1;
  const at = COMMON.indexOf(char);
  return at === -1 ? COMMON.length : at;
};

/**
 * An end of a part of JSON that is nearly as rare as the whole. GLOB looks for the first character, many positions at
 * a time, and only compares the others where it finds it: so it should be a rare one.
 *
 * A text alone is rare enough. A number or `true` needs a bit of the name before it.
 */
function fromRarest(part: string): string {
  const chars = Array.from(part);
  const kept = Math.min(part.endsWith('"') ? 5 : 7, chars.length);
  const rarities = chars.slice(0, chars.length - kept + 1).map(rarity);
  return chars.slice(rarities.indexOf(Math.max(...rarities))).join('');
}

/** Infinity and null are left unchanged. */
const rounded = (sum: string) =>
  `case when abs(${sum}) < 9e999 then cast(printf('%!.15g', ${sum}) as real) else ${sum} end`;

/**
 * Precedes the parameter that is a pattern. Where a parameter alone is the pattern, its value may lead to another plan, so
 * SQLite prepares the statement again whenever a value is bound: https://www.sqlite.org/c3ref/prepare.html. That takes as
 * long as testing 300 rows.
 */
const GLOB_OF = '+';

export const SQLITE_CRITERIA: CriteriaDialect = {
  content: 'documents.content',
  parsed: { base: 'documents.content', from: '' },
  json: (text) => `(${text})`,
  make: { object: 'json_object', array: 'json_array' },
  // A cast would give it an affinity, which the expressions of an index lack: they would not match.
  typed: (mark) => mark,
  hint: (index) => ` indexed by ${index}`,
  // https://www.sqlite.org/optoverview.html#crossjoin
  joinsInOrder: true,
  prepare: () => null,
  value,
  size({ base, steps }, params) {
    const path = pathOf(steps, params);
    return `case when ${isArray(base, path)} then json_array_length(${base}, ${path}) else -1 end`;
  },
  elements({ base, steps }, alias, params) {
    const path = pathOf(steps, params);
    return {
      // For an object json_each would return its members, for a scalar the scalar.
      from: `json_each(case when ${isArray(base, path)} then ${base} -> ${path} else '[]' end) ${alias}`,
      value: form(`${alias}.type`, `${alias}.atom`),
      base: `${alias}.value`,
      isObject: `${alias}.type = 'object'`,
    };
  },
  work: () => TRUE,
  like: (txt, pattern, params) =>
    isHardPattern(pattern)
      ? `${IS_LIKE}(${txt}, ${params.text(pattern)})`
      : `${txt} glob ${GLOB_OF}${params.text(globOf(pattern))}`,
  containsText: (txt, part, params) => `instr(${txt}, ${params.text(part)}) > 0`,
  containsPart: (text, part, params) => `${text} glob ${GLOB_OF}${params.text(`*${literalGlob(fromRarest(part))}*`)}`,
  head: (txt, length) => `substr(${txt}, 1, ${length})`,
  lengthOf: (txt) => `length(${txt})`,
  toLowerCase: (txt) => `${TO_LOWER_CASE}(${txt})`,
  toUpperCase: (txt) => `${TO_UPPER_CASE}(${txt})`,
  textOf: (sql) => `cast(${sql} as text)`,
  wireDate: (ms) => `(strftime('%Y-%m-%dT%H:%M:%S', ${ms} / 1000, 'unixepoch') || printf('.%03d+0000', ${ms} % 1000))`,
  kilometres: (of) => `${KILOMETRES}(${of.join(', ')})`,
  addend({ base, steps }, params) {
    const path = pathOf(steps, params);
    const number = `cast(${base} ->> ${path} as real)`;
    return `case json_type(${base}, ${path}) when 'integer' then ${number} when 'real' then ${number} end`;
  },
  total: (name, column) => rounded(`${name}(${column})`),
};
