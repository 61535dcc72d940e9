import { describe, expect, it } from 'vitest';
import {
  applyCompletion,
  completeExpression,
  completePath,
  type Names,
  namesInCheck,
  namesInCondition,
  namesInFilter,
  pathsOf,
} from '../../packages/console/src/values/completion.ts';
import { diffLines } from '../../packages/console/src/values/diff.ts';
import { builtFieldsOf, schemaOf } from '../../packages/console/src/values/schema-builder.ts';
import {
  fieldsOf,
  inputText,
  pathsIn,
  readInput,
  type SchemaField,
  withMember,
} from '../../packages/console/src/values/schema-fields.ts';

describe('completion of a condition', () => {
  const paths = ['title', 'tags', 'author.name'];
  /** `|` is the cursor. */
  const options = (text: string, names: Names = namesInFilter(paths)) => {
    const cursor = text.indexOf('|');
    return completeExpression(text.replace('|', ''), cursor, names).options;
  };

  it.each([
    ['|', ['title', 'tags', 'author.name', 'id', '_author', '_updated_by', '_creation_date', '_update_date']],
    ['t|', ['title', 'tags']],
    ['T|', ['title', 'tags']],
    ['title|', []],
    ['title = 1 and (a|', ['author.name']],
    ['not ti|', ['title']],
    ['title l|', ['like']],
    ['title is|', ['is null', 'is not null']],
    ['title = |', []],
    ["title = 'and |", []],
    ["title = 'it''s' |", ['and', 'or']],
    ['title in [1, 2] |', ['and', 'or']],
    ['title = tags |', ['and', 'or']],
    ['t| = 1', ['title', 'tags']],
  ])('offers what can follow in %s', (text, expected) => {
    expect(options(text)).toEqual(expected);
  });

  it('offers the caller in a condition of a rule', () => {
    expect(options('_author = ca|', namesInCondition(paths))).toEqual([
      'caller.name',
      'caller.id',
      'caller.roles',
      'caller.groups',
    ]);
  });

  it('offers the states of the document in a check, and its paths in changed()', () => {
    expect(options('not ch|', namesInCheck('update', paths))).toEqual(['changed(']);
    expect(options('not changed(t|', namesInCheck('update', paths))).toEqual(['title', 'tags']);
    expect(options('changed(title |', namesInCheck('update', paths))).toEqual([]);
    expect(options('changed(title) |', namesInCheck('update', paths))).toEqual(['and', 'or']);
    expect(options('old.ti|', namesInCheck('update', paths))).toEqual(['old.title']);
    expect(options('old.|', namesInCheck('create', paths))).toEqual([]);
    expect(options('new.|', namesInCheck('delete', paths))).toEqual([]);
    expect(applyCompletion('not ch', 6, 4, 'changed(')).toEqual(['not changed(', 12]);
  });

  it('completes the path of a field', () => {
    expect(completePath('t', 1, paths)).toEqual({ from: 0, options: ['title', 'tags'] });
    expect(completePath('title', 5, paths).options).toEqual([]);
  });

  it('replaces the word at the cursor', () => {
    expect(applyCompletion('ti = 1', 2, 0, 'title')).toEqual(['title = 1', 6]);
    expect(applyCompletion('a = 1 an', 8, 6, 'and')).toEqual(['a = 1 and ', 10]);
  });

  it('knows the names in documents, the most frequent first, and only those that need no quotes', () => {
    expect(pathsOf([{ a: 1 }, { a: { b: 2 }, 'no name': 3, list: [{ c: 1 }] }])).toEqual(['a', 'a.b', 'list']);
  });
});

describe('a comparison of texts', () => {
  const marks = { same: ' ', removed: '-', added: '+' };
  const diff = (before: string, after: string) =>
    diffLines(before, after).map(({ kind, text }) => `${marks[kind]}${text}`);

  it('keeps what both have', () => {
    expect(diff('a\nb\nc', 'a\nb\nc')).toEqual([' a', ' b', ' c']);
    expect(diff('a\nb\nc\nd', 'a\nx\nc\ny\nd')).toEqual([' a', '-b', '+x', ' c', '+y', ' d']);
    expect(diff('', 'a')).toEqual(['-', '+a']);
    expect(diff('a\na', 'a')).toEqual([' a', '-a']);
  });

  it('has a bound: what is too long to compare is replaced as a whole', () => {
    const text = (letter: string) => Array.from({ length: 2_000 }, (_, n) => `${letter}${n % 7}`).join('\n');
    const lines = diff(`first\n${text('a')}\nlast`, `first\n${text('b')}\nlast`);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([4_002, ' first', ' last']);
  });
});

describe('a form from a schema', () => {
  it('has a field for each member', () => {
    const schema = {
      properties: {
        title: { type: 'string', title: 'Title', description: 'About.' },
        day: { type: 'string', format: 'date' },
        size: { enum: ['s', 1] },
        any: { type: ['string', 'null'] },
        mixed: { enum: [null, 's'] },
        linked: { $ref: '#/$defs/x', type: 'string' },
        odd: true,
      },
      required: ['title'],
    };
    expect(fieldsOf(schema).map(({ name, kind }) => [name, kind])).toEqual([
      ['title', 'text'],
      ['day', 'date'],
      ['size', 'choice'],
      ['any', 'json'],
      ['mixed', 'json'],
      ['linked', 'json'],
      ['odd', 'json'],
    ]);
    expect(fieldsOf(schema)[0]).toMatchObject({ title: 'Title', about: 'About.', isRequired: true });
    expect([fieldsOf(null), fieldsOf({ type: 'string' }), fieldsOf({ properties: [] })]).toEqual([[], [], []]);
  });

  it.each([
    ['text', 'a "b"'],
    ['number', 1.5],
    ['integer', -3],
    ['boolean', false],
    ['choice', '1'],
    ['choice', 1],
    ['date', '2026-03-01'],
    ['json', { a: [null] }],
  ] as const)('reads as %s what it shows: %j', (kind, value) => {
    expect(readInput({ kind }, inputText({ kind, choices: ['1', 1] }, value) ?? '')).toEqual({ value });
  });

  const text = (kind: SchemaField['kind'], value: unknown) => inputText({ kind, choices: ['a', 1] }, value);

  it('says what it cannot read, and shows as JSON what is not of its type', () => {
    expect(readInput({ kind: 'number' }, 'many')).toEqual({ problem: 'number' });
    expect(readInput({ kind: 'integer' }, '1.5')).toEqual({ problem: 'integer' });
    expect(readInput({ kind: 'integer' }, '12345678901234567890')).toEqual({ problem: 'integer' });
    expect(readInput({ kind: 'json' }, '{')).toEqual({ problem: 'json' });
    expect(readInput({ kind: 'text' }, '')).toEqual({ value: undefined });
    expect([text('number', 'many'), text('text', 1)]).toEqual([null, null]);
  });

  it('shows as JSON what its input would change or hide', () => {
    const texts = ['Peel\nCook', 'Peel\r\nCook', 'Peel\nCook\r\nEat', 'Peel\rCook', ' a '];
    expect(texts.map((one) => text('text', one))).toEqual(['Peel\nCook', 'Peel\nCook', null, null, ' a ']);
    const days = ['2026-03-01', '', '1.3.2026', '2026-02-30', '2026-03-01T00:00:00Z', '12026-03-01'];
    expect(days.map((day) => text('date', day))).toEqual(['2026-03-01', null, null, null, null, null]);
    expect([text('choice', 'a'), text('choice', 'former'), text('choice', '1')]).toEqual(['"a"', null, null]);
    expect([text('text', null), text('boolean', null)]).toEqual([null, null]);
  });

  it('changes one member, whatever its name', () => {
    expect(Object.keys(withMember({ a: 1, b: 2 }, 'a', 3))).toEqual(['a', 'b']);
    expect(withMember({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    const odd = withMember({}, '__proto__', { x: 1 });
    expect([Object.hasOwn(odd, '__proto__'), Object.getPrototypeOf(odd)]).toEqual([true, Object.prototype]);
  });

  it('knows the paths of nested members', () => {
    const name = { type: 'object', properties: { first: {} } };
    expect(pathsIn({ properties: { title: {}, author: { properties: { name } } } })).toEqual([
      'title',
      'author',
      'author.name',
      'author.name.first',
    ]);
  });
});

describe('the fields of a schema', () => {
  const name = { type: 'string', title: 'Name', minLength: 3, pattern: '^[a-z]+$' };
  const address = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const choice = { enum: ['a', 'b'] };
  const before = { $id: 'x', type: 'object', properties: { name, address, choice }, required: ['name'] };

  it('keep their constraints and members when they are renamed, letter by letter', () => {
    const typed = ['nam', 'na', 'n', '', 'f', 'fu', 'full'];
    let schema = schemaOf(builtFieldsOf(before), before);
    let fields = builtFieldsOf(schema);
    for (const part of typed) {
      fields = fields.map((field) => ({ ...field, name: `${field.key}${part}` }));
      schema = schemaOf(fields, schema);
    }
    expect(schema).toEqual({
      $id: 'x',
      type: 'object',
      properties: { '0full': name, '1full': address, '2full': choice },
      required: ['0full'],
    });
  });

  it('lose their constraints with their type, and have them again with it', () => {
    const [field, ...others] = builtFieldsOf(before);
    if (field === undefined) throw new Error('the schema has fields');
    const asNumber = schemaOf([{ ...field, type: 'number' }, ...others], before);
    expect(asNumber.properties).toEqual({ name: { type: 'number' }, address, choice });
    expect(schemaOf([field, ...others], asNumber)).toEqual(before);
  });
});
