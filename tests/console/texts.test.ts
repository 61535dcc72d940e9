import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@baobab/core';
import { createTestBackend } from '@baobab/server/testing';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { firstKnown, LANGUAGES, localeIn } from '../../packages/console/src/language.ts';
import { texts as german } from '../../packages/console/src/texts/de/index.ts';
import { texts as english } from '../../packages/console/src/texts/en/index.ts';
import { createWorld } from '../support/backend.ts';

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

/** Words that were replaced by the terms of the field. */
const REPLACED =
  /\b(?:mend|Id|User name|Grants?|Grantee|Parked|Set-up|Look again|Check again|Made by|Go to|As code|Server keys?|Blob store|not set|Nobody has|Being built|Show as|Attached data|Signed up|Hand the group|Second factor|stored it|device gone|Rule of|takes no more)\b/;

/** Failures of calls that the console does not send, and of the program's start. */
const OF_APPS =
  /^(?:account|auth\.passkey_\w+|batch|block|changes|email|expand|field|follow|guest|idempotency|input\.encoding_\w+|invitation|key\.user_required|group\.invitation_\w+|passkey|patch|path|range|registration|room|social|storage\.(?!unavailable)\w+|totp\.exists|user\.(?:email_required|name_fixed|old_password_invalid))\b/;

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
  /** The server writes English itself. */
  const withoutServer = (texts: typeof english) => flat({ ...texts, serverMessages: {}, settingHelp: {} });
  const [inEnglish, inGerman] = [withoutServer(english), withoutServer(german)];

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

  it('use the terms of the field', () => {
    expect(inEnglish.filter(([, text]) => REPLACED.test(text))).toEqual([]);
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

  it('have a title and a German description for every setting of the server', async () => {
    const backend = await createTestBackend();
    const world = createWorld(backend);
    const token = await world.admin();
    const read = async (path: string) => (await world.call('GET', `/admin/configuration/${path}`, { token })).data;
    const described: [key: string, placeholders: readonly string[]][] = [];
    const placeholdersIn = (text = 'none') => text.match(/\$\w+\$|\{\w+\}|\b[A-Z]+_[A-Z]+\b/g) ?? [];
    for (const { section } of await read('dump.json'))
      for (const { key, description } of await read(section)) described.push([key, placeholdersIn(description)]);
    await backend.close();
    expect(described.length).toBeGreaterThan(50);
    const keys = described.map(([key]) => key).sort();
    expect(Object.keys(english.settingTitles)).toEqual(expect.arrayContaining(keys));
    expect(Object.keys(german.settingHelp).sort()).toEqual(keys);
    for (const [key, placeholders] of described)
      expect([key, placeholdersIn(german.settingHelp[key])]).toEqual([key, placeholders]);
  });

  it('have a German message for every failure of the server, except for those that only apps meet', () => {
    const translated = Object.keys(german.serverMessages);
    const codes = Object.entries(ERRORS).filter(([, message]) => !translated.includes(message));
    expect(codes.map(([code]) => code).filter((code) => !OF_APPS.test(code))).toEqual([]);
    expect(translated.filter((message) => !Object.values<string>(ERRORS).includes(message))).toEqual([]);
    // The longer one of two messages would be taken for a detail of the shorter one.
    const isBegun = (message: string) => translated.some((other) => message.startsWith(`${other}: `));
    expect(translated.filter(isBegun)).toEqual([]);
  });

  it('are in the first language of the browser that there is', () => {
    expect(firstKnown(['fr-CA', 'de-AT', 'en'])).toBe('de');
    expect(firstKnown(['EN-gb'])).toBe('en');
    expect(firstKnown(['fr', 'constructor'])).toBeNull();
    expect(localeIn(['fr', 'en-US@posix', 'en-GB'], 'en')).toBe('en-GB');
    expect(localeIn(['de@posix'], 'de')).toBe('de');
  });
});
