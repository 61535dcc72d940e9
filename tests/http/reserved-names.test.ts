import { describe, expect, it } from 'vitest';
import openapi from '../../docs/openapi.json' with { type: 'json' };
import { COLLECTION_WORDS, USER_WORDS } from '../../packages/core/src/names/reserved-names.ts';

type Segments = readonly string[];

const TEMPLATES: readonly Segments[] = Object.keys(openapi.paths).map((path) => path.split('/').slice(1));

/** The kind of name that a parameter takes; null for ids and values, which cannot be chosen, and for names with a fixed set. */
function kindOf(template: Segments, at: number): 'user' | 'collection' | null {
  const parameter = template[at];
  if (['{username}', '{follower}', '{tofollow}'].includes(parameter ?? '')) return 'user';
  const isCollection = parameter === '{collection}' || (parameter === '{name}' && template[at - 1] === 'collection');
  return isCollection ? 'collection' : null;
}

const isParameter = (segment = '') => segment.startsWith('{');

/** Parameters whose values are no words that somebody chooses: UUIDs and the actions of grants. */
const isFixed = (segment = '') => /^\{(?:id|groupId|delivery|action)\}$/.test(segment);

function fits(segment: string, place = ''): boolean {
  if (segment === place) return true;
  if (isFixed(segment) || isFixed(place)) return isFixed(segment) && isFixed(place);
  return isParameter(place) || isParameter(segment);
}

/** Static segments of `path` where `template` has names, if the template serves the path. */
function wordsIn(path: Segments, template: Segments): Array<readonly [kind: string, word: string]> {
  const isServed = path.length === template.length && path.every((segment, at) => fits(segment, template[at]));
  if (!isServed) return [];
  return path.flatMap((word, at) => {
    const kind = kindOf(template, at);
    return kind === null || word.includes('{') ? [] : [[kind, word] as const];
  });
}

/** The paths that parsers and proxies make of one whose parameter is empty, `.` or `..`. */
const collapsed = (path: Segments): Segments[] =>
  path.flatMap((segment, at) =>
    isParameter(segment) ? [path.toSpliced(at, 1), ...(at === 0 ? [] : [path.toSpliced(at - 1, 2)])] : [],
  );

/** Every word that a route has where another one, or the same without a parameter, has a name. */
function derived(kind: string): string[] {
  const paths = TEMPLATES.flatMap((path) => [path, ...collapsed(path)]);
  const words = paths.flatMap((path) => TEMPLATES.flatMap((template) => wordsIn(path, template)));
  return [...new Set(words.filter(([of]) => of === kind).map(([, word]) => word))].sort();
}

describe('words of routes', () => {
  it('where users are named are no names of users', () => {
    expect(USER_WORDS).toEqual(derived('user'));
  });

  it('where collections are named are no names of collections', () => {
    expect(COLLECTION_WORDS).toEqual(derived('collection'));
  });
});
