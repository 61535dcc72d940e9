import { describe, expect, it } from 'vitest';
import { openEditor } from '../support/type-check.ts';

/** A module of an app with the compiler option `strict` alone. */
const moduleOf = (line: string) => `
import { createClient, increment, remove } from '@baobab/client';
interface Milk { title: string; litres?: number; done?: boolean; by: { name: string } }
const client = createClient<{ collections: { milk: Milk; things: { [name: string]: unknown } } }>({ url: '', appCode: '' });
const milk = client.collection('milk');
const maybe = {} as { litres?: number };
const value = null as unknown;
${line}
`;

const editor = openEditor();
const problemOf = (line: string) => editor.problemsIn(moduleOf(line)).join();

describe('in an editor', () => {
  it('conditions begin with a suggested field', () => {
    const suggested = editor.suggestionsAt(moduleOf(`milk.query().where('|')`));
    expect(suggested).toEqual(expect.arrayContaining(['title', 'litres', 'by.name', '_author', '_creation_date']));
  });

  it('an undefined member of an update is an error, because it would change nothing', () => {
    expect(problemOf(`await milk.update('id', { litres: undefined });`)).toMatch(/never/);
    expect(problemOf(`await milk.update('id', { title: 'x', litres: undefined });`)).toMatch(/never/);
    expect(problemOf(`await milk.update('id', { litres: maybe.litres });`)).toMatch(/never/);
    expect(problemOf(`await client.collection('things').update('id', { a: undefined });`)).toMatch(/never/);
    expect(problemOf(`milk.operations.update('id', { litres: undefined });`)).toMatch(/never/);
  });

  it('other updates compile, with the members of the collection only', () => {
    expect(problemOf(`await milk.update('id', { litres: increment(1), done: remove(), title: 'x' });`)).toBe('');
    expect(problemOf(`await milk.update('id', maybe);`)).toBe('');
    expect(problemOf(`await client.collection('things').update('id', { a: value, b: 1, c: null });`)).toBe('');
    expect(problemOf(`await milk.update('id', { litters: 1 });`)).toMatch(/litters/);
  });
});
