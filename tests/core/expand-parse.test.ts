import { parseExpand, type Reference } from '@baobab/core';
import { describe, expect, it } from 'vitest';

/** References as nested arrays: name, path, and those behind it. */
interface Shown extends ReadonlyArray<string | Shown> {}

const shown = ({ name, path, inner }: Reference): Shown => [name, path.join(' '), ...inner.map(shown)];
const parsed = (text: string) => parseExpand(text).map(shown);

describe('expand', () => {
  it.each<[string, readonly Shown[]]>([
    ['', []],
    ['  ', []],
    ['list', [['list', 'list']]],
    [
      'list,_author',
      [
        ['list', 'list'],
        ['_author', '_author'],
      ],
    ],
    [' list , list ', [['list', 'list']]],
    ['by.place', [['by.place', 'by place']]],
    ['items[0].of', [['items[0].of', 'items 0 of']]],
    [
      '`a b`, x.`c.d`',
      [
        ['a b', 'a b'],
        ['x.`c.d`', 'x c.d'],
      ],
    ],
    ['`_author`', [['_author', '_author']]],
    ['__proto__', [['__proto__', '__proto__']]],
    ['list,list.owner', [['list', 'list', ['owner', 'owner']]]],
    ['list.owner,list', [['list', 'list', ['owner', 'owner']]]],
    ['list.owner', [['list.owner', 'list owner']]],
    ['list,list._author', [['list', 'list', ['_author', '_author']]]],
    ['list,list.owner.home', [['list', 'list', ['owner.home', 'owner home']]]],
    ['a,a.b.c,a.d', [['a', 'a', ['b.c', 'b c'], ['d', 'd']]]],
    [
      'list,list[0],list[0].owner',
      [
        ['list', 'list'],
        ['list[0]', 'list 0', ['owner', 'owner']],
      ],
    ],
    ['by._author', [['by._author', 'by _author']]],
    ['by.id', [['by.id', 'by id']]],
  ])('%j refers to %j', (text, expected) => {
    expect(parsed(text)).toEqual(expected);
  });

  it.each([
    ['list,', 'expand, character 6: expected a name'],
    [',list', 'expand, character 1: expected a name'],
    ['list owner', 'expand, character 6: expected "," or the end, found "owner"'],
    ['list.size()', 'methods are not allowed here'],
    ['list[-1]', 'an index'],
    ['count(*)', 'found "("'],
    ['"list"', 'found a text'],
    ['list as x', 'expected "," or the end'],
    ['id', 'expected a field of the content, or _author or _updated_by alone, found "id"'],
    ['a,@ID', 'expand, character 3: expected a field of the content'],
    ['_creation_date', 'expected a field of the content'],
    ['_allowRead', 'expected a field of the content'],
    ['_expanded.list', 'expected a field of the content'],
    ['_author.x', 'expected a field of the content, or _author or _updated_by alone'],
    ['_author,_author.x', 'expected a field of the content, or _author or _updated_by alone'],
    ['list,list.id', 'expected a field of the content, or _author or _updated_by alone'],
    ['list,list._author.x', 'expected a field of the content, or _author or _updated_by alone'],
    ['a,a.b,a.b.c', 'expand, character 7: expected paths of at most two hops'],
    ['a.b.c,a.b,a', 'expand, character 1: expected paths of at most two hops'],
    ['`a.b`,a.b', 'expected a path with a name of its own'],
    [Array.from({ length: 17 }, (_, i) => `a${i}`).join(), 'at most 16 names'],
    ['a'.repeat(5000), 'at most 4096 characters'],
    [`a${'.b'.repeat(201)}`, 'at most 200 steps in a path'],
  ])('%j is refused', (text, message) => {
    expect(() => parseExpand(text)).toThrow(
      expect.objectContaining({ code: 'criteria.invalid', input: 'expand', message: expect.stringContaining(message) }),
    );
  });
});
