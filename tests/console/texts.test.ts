import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { firstKnown, LANGUAGES, localeIn } from '../../packages/console/src/language.ts';
import { texts as german } from '../../packages/console/src/texts/de/index.ts';
import { texts as english } from '../../packages/console/src/texts/en/index.ts';

const FOLDER = join(import.meta.dirname, '../../packages/console/src');
/** Attributes that users read or hear. */
const SPOKEN = new Set(['about', 'alt', 'aria-label', 'label', 'placeholder', 'text', 'title']);
const BRAND = 'Baobab';

type Text = string | ((...args: never[]) => string);
interface Catalogue {
  readonly [name: string]: Text | Catalogue;
}

/** Every text by its path; functions are called with their position as arguments. */
function flat(catalogue: Catalogue, prefix = ''): Array<readonly [path: string, text: string]> {
  return Object.entries(catalogue).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (typeof value === 'string') return [[path, value] as const];
    if (typeof value === 'function') {
      return [[path, (value as (...args: readonly string[]) => string)('‹0›', '‹1›', '‹2›')] as const];
    }
    return flat(value, `${path}.`);
  });
}

/** The arguments that a text contains. */
const argumentsIn = (text: string) => Array.from(text.matchAll(/‹\d›/g), String).sort();

const hasLetters = (text: string) => /\p{L}/u.test(text.replaceAll(BRAND, ''));

/** Texts in the code of a view that are in no catalogue. */
function literalTexts(file: string, code = readFileSync(join(FOLDER, file), 'utf8')): string[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const report = (node: ts.Node, text: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    if (hasLetters(text)) found.push(`${file}:${line + 1} ${text.trim()}`);
  };
  /** Reports what an expression may result in. */
  function reportIn(node: ts.Expression): void {
    if (ts.isStringLiteralLike(node)) report(node, node.text);
    else if (ts.isTemplateExpression(node))
      report(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(''));
    else if (ts.isParenthesizedExpression(node)) reportIn(node.expression);
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(reportIn);
    else if (ts.isBinaryExpression(node)) reportIn(node.right);
  }
  const expressionOf = (node: ts.JsxAttributeValue) => (ts.isJsxExpression(node) ? node.expression : node);
  function visit(node: ts.Node): void {
    if (ts.isJsxText(node)) report(node, node.text);
    else if (ts.isJsxAttribute(node)) {
      const value = node.initializer === undefined ? undefined : expressionOf(node.initializer);
      if (SPOKEN.has(node.name.getText()) && value !== undefined) reportIn(value);
    } else if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && node.expression !== undefined) {
      reportIn(node.expression);
    }
    ts.forEachChild(node, visit);
  }
  visit(source);
  return found;
}

describe('the texts of the console', () => {
  const [inEnglish, inGerman] = [flat(english), flat(german)];

  it('are in every language, with the same arguments', () => {
    expect(inEnglish.length).toBeGreaterThan(100);
    const shape = (texts: typeof inEnglish) => texts.map(([path, text]) => [path, ...argumentsIn(text)]).sort();
    expect(shape(inGerman)).toEqual(shape(inEnglish));
    expect([...inEnglish, ...inGerman].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('are translated: no sentence is the same in two languages', () => {
    const texts = new Map(inEnglish);
    const isSentence = (text: string) => text.split(' ').length > 2;
    expect(inGerman.filter(([path, text]) => isSentence(text) && texts.get(path) === text)).toEqual([]);
  });

  it('have an area for each file, which both languages have', () => {
    const [en, de] = ['en', 'de'].map((language) => readdirSync(join(FOLDER, 'texts', language)).sort());
    expect(de).toEqual(en);
    expect(readdirSync(join(FOLDER, 'texts')).sort()).toEqual(Object.keys(LANGUAGES).sort());
  });

  it('are all that a view says', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
    expect(files.length).toBeGreaterThan(15);
    expect(files.flatMap((file) => literalTexts(file))).toEqual([]);
    for (const code of ['<p>Hello</p>', "<p>{isOn ? 'On' : ''}</p>", '<b>{n && `rows`}</b>', '<a title="Go" />']) {
      expect([code, literalTexts('view.tsx', `const view = ${code};`).length]).toEqual([code, 1]);
    }
    for (const code of [
      '<p>Baobab › {texts.name}</p>',
      '<p className="row">{n} – 1</p>',
      "<p>{isOn ? ' ↑' : ''}</p>",
    ]) {
      expect([code, literalTexts('view.tsx', `const view = ${code};`)]).toEqual([code, []]);
    }
  });

  it('are in the first language of the browser that there is', () => {
    expect(firstKnown(['fr-CA', 'de-AT', 'en'])).toBe('de');
    expect(firstKnown(['EN-gb'])).toBe('en');
    expect(firstKnown(['fr', 'constructor'])).toBeNull();
    expect(localeIn(['fr', 'en-US@posix', 'en-GB'], 'en')).toBe('en-GB');
    expect(localeIn(['de@posix'], 'de')).toBe('de');
  });
});
