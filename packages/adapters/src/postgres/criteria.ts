import { AppError, DOUBLE_QUOTES, EARTH_RADIUS_KM, type PathStep, SINGLE_QUOTES } from '@baobab/core';
import {
  type CriteriaDialect,
  isPlainStep,
  type JsonPlace,
  type Params,
  type SqlValueForm,
  TRUE,
} from '../sql/criteria/dialect.ts';
import { candidateQuery } from '../sql/criteria/text-tests.ts';
import { WORDS_VECTOR } from '../sql/schema/words.ts';

/** Inlined in the statement if it is plain, otherwise a parameter. */
const nameOf = (name: string, params: Params) => (isPlainStep(name) ? `'${name}'` : params.text(name));

/** `->` treats a scalar as an array of one element, so the type is checked first. */
function stepInto(json: string, step: PathStep, params: Params): string {
  if (typeof step === 'string') return `(${json} -> ${nameOf(step, params)})`;
  return `(case when jsonb_typeof(${json}) = 'array' then ${json} -> ${step} end)`;
}

/**
 * The equivalent of `jsonAt` in a single call. Strict mode does not treat scalars as arrays, and errors become null.
 */
function jsonPath({ base, steps }: JsonPlace, params: Params): string {
  const written = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`)).join('');
  const text = `strict $${written}`;
  const path = steps.every(isPlainStep) ? `'${text}'` : `(${params.text(text)})`;
  return `jsonb_path_query_first(${base}, ${path}::jsonpath, '{}', true)`;
}

/** A step into an array repeats the expression before it, so several steps would grow exponentially. */
function jsonAt(place: JsonPlace, params: Params): string {
  const indexes = place.steps.filter((step) => typeof step === 'number').length;
  if (indexes > 1) return jsonPath(place, params);
  return place.steps.reduce<string>((json, step) => stepInto(json, step, params), place.base);
}

const byCodePoint = (text: string) => `(${text} collate "C")`;

function form(json: string): SqlValueForm {
  return {
    rank: `case jsonb_typeof(${json}) when 'string' then 3 when 'number' then 2 when 'boolean' then 1
      when 'array' then 4 when 'object' then 4 else 0 end`,
    num: `case jsonb_typeof(${json}) when 'number' then (${json})::double precision
      when 'boolean' then case when (${json})::boolean then 1 else 0 end else 0 end`,
    txt: byCodePoint(`case jsonb_typeof(${json}) when 'string' then ${json} #>> '{}' else '' end`),
  };
}

const arrayAt = (json: string) => `case when jsonb_typeof(${json}) = 'array' then ${json} else '[]'::jsonb end`;

/** Postgres raises an error if a result underflows or overflows a double. Coordinates are far from these limits. */
const degrees = (of: string) => `(case when abs(${of}) < 1e-100 then 0 else least(greatest(${of}, -1e15), 1e15) end)`;
const square = (of: string) => `(case when abs(${of}) < 1e-100 then 0 else (${of}) * (${of}) end)`;

/** The haversine formula. */
function kilometres([lat1, lon1, lat2, lon2]: readonly [string, string, string, string]): string {
  const half = (a: string, b: string) => square(`sin(radians(${degrees(b)} - ${degrees(a)}) / 2)`);
  const across = `cos(radians(${degrees(lat1)})) * cos(radians(${degrees(lat2)})) * ${half(lon1, lon2)}`;
  return `(${2 * EARTH_RADIUS_KM} * asin(sqrt(least(1, ${half(lat1, lat2)} + ${across}))))`;
}

/** Rounds to exactly 15 significant digits. */
const rounded = (sum: string) =>
  `case when ${sum} = 0 then 0 else round(${sum}, 14 - floor(log(abs(${sum})))::integer) end`;

/** The replacement of each quotation mark, as an SQL text. */
const STRAIGHT_QUOTES = "''".repeat(SINGLE_QUOTES.length) + '"'.repeat(DOUBLE_QUOTES.length);

/** Quotes a word in the syntax of a text search query. Words contain neither quotes nor backslashes. */
const quoted = (word: string) => `'${word}'`;

/** Unicode lower and upper case require an ICU collation. A server without ICU uses the rules of its locale. */
export function createPostgresCriteria(): CriteriaDialect {
  let collation: string | null = null;

  const inCase = (function_: string, txt: string) => byCodePoint(`${function_}(${txt}${collation ?? ''})`);

  return {
    content: '(documents.content::jsonb)',
    // `offset 0` keeps the planner from repeating the expression at every use.
    parsed: { base: 'x.j', from: ' cross join lateral (select documents.content::jsonb as j offset 0) x' },
    json: (text) => `((${text})::jsonb)`,
    make: { object: 'jsonb_build_object', array: 'jsonb_build_array' },
    typed: (mark, type) => `cast(${mark} as ${type})`,
    joinsInOrder: false,
    hint: () => '',
    candidates(search, params) {
      const query = candidateQuery(search, {
        exact: quoted,
        prefix: (word) => `${quoted(word)}:*`,
        and: ' & ',
        or: ' | ',
      });
      return {
        from: '',
        where: `documents.words is not null and ${WORDS_VECTOR} @@ cast(${params.text(query)} as tsquery)`,
      };
    },
    prepare(executor) {
      if (collation !== null) return null;
      const icu = `select 1 as n from pg_collation where collname = 'und-x-icu'`;
      return executor.read(icu, []).then((rows) => {
        collation = rows.length > 0 ? ' collate "und-x-icu"' : '';
      });
    },
    value: (place, params) => form(jsonAt(place, params)),
    size(place, params) {
      const json = jsonAt(place, params);
      return `case when jsonb_typeof(${json}) = 'array' then jsonb_array_length(${json}) else -1 end`;
    },
    elements(place, alias, params) {
      return {
        from: `jsonb_array_elements(${arrayAt(jsonAt(place, params))}) ${alias}(j)`,
        value: form(`${alias}.j`),
        base: `${alias}.j`,
        isObject: `jsonb_typeof(${alias}.j) = 'object'`,
      };
    },
    work: () => TRUE,
    like: (txt, pattern, params) => `${txt} like ${params.text(pattern)}`,
    containsText: (txt, part, params) => `strpos(${txt}, ${params.text(part)}) > 0`,
    containsPart: (text, part, params) => `strpos(${text}, ${params.text(part)}) > 0`,
    // An entry of an index has at most 2,704 bytes.
    whole: (txt) => `md5(${txt})`,
    head: (txt, length) => byCodePoint(`left(${txt}, ${length})`),
    lengthOf: (txt) => `char_length(${txt})`,
    toLowerCase: (txt) => inCase('lower', txt),
    collatedText: (txt) =>
      `translate(normalize(${txt}, nfc), '${SINGLE_QUOTES}${DOUBLE_QUOTES}', '${STRAIGHT_QUOTES}')`,
    collated(txt, language) {
      if (collation !== '') return `(${txt} collate "${language}-x-icu")`;
      throw new AppError('criteria.invalid', {
        detail: 'orderBy: collate needs a PostgreSQL server with ICU, which this one lacks',
        input: 'orderBy',
      });
    },
    toUpperCase: (txt) => inCase('upper', txt),
    textOf: (sql) => byCodePoint(`(${sql})::text`),
    idOf: (txt) => `(case when ${txt} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (${txt})::uuid end)`,
    wireDate: (ms) =>
      byCodePoint(`to_char(timestamp 'epoch' + ${ms} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+0000"')`),
    kilometres,
    addend(place, params) {
      const json = jsonAt(place, params);
      return `case when jsonb_typeof(${json}) = 'number' then (${json})::numeric end`;
    },
    total: (name, column) => rounded(`${name}(${column}::numeric)`),
  };
}
