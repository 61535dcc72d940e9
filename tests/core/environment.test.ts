import { VARIABLES } from '@baobab/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../packages/server/src/config/environment.ts';
import type { Form, VariableSchema } from '../../packages/server/src/config/variables.ts';

type Name = keyof typeof VARIABLES;

const SCHEMAS = Object.entries(VARIABLES) as [Name, VariableSchema][];
const formsOf = (form: Form): readonly Form[] => ('anyOf' in form ? form.anyOf.flatMap(formsOf) : [form]);

const boundsOf = (form: Form): readonly string[] =>
  formsOf(form).flatMap((one) =>
    'minimum' in one ? [one.minimum - 1, one.minimum, one.maximum, one.maximum + 1].map(String) : [],
  );
const choicesOf = (form: Form): readonly string[] => formsOf(form).flatMap((one) => ('enum' in one ? one.enum : []));
const CHOICES = SCHEMAS.flatMap(([, schema]) => choicesOf(schema));
const ODD = ['', ' ', '1e3', '0x50', ' 80', '-0', 'NaN', 'Infinity', 'null', 'true', '1,5', '٣', '9'.repeat(16)];
const URLS = [
  'memory:',
  'sqlite:',
  'sqlite:a.db',
  'postgres://u:p@h:1/d',
  'postgres://a/b,postgresql://c/d',
  'postgres://a/b,',
  'file:a',
  's3://bucket/prefix?endpoint=https://h&region=r',
  's3://bucket?other=1',
  'https://a.example',
  'https://a.example/b?c',
  'https://a.example, http://b:1',
  'https://',
];
const KEYS = ['k'.repeat(31), 'k'.repeat(32), '🌳'.repeat(15), '🌳'.repeat(16)];

/** Texts that `Number` or a coercion would convert to the same number. */
const disguised = (text: string) => [
  ` ${text}`,
  `${text}\n`,
  `+${text}`,
  `${text}.0`,
  `${text}e0`,
  `0x${text}`,
  `${text}_0`,
  `${text}n`,
  `0${text}`,
];

/** Texts at which a rule that differs a little would decide otherwise. */
const telling = (form: Form): readonly string[] => {
  const bounds = boundsOf(form);
  const choices = CHOICES.flatMap((choice) => [choice, choice.toUpperCase()]);
  return [...bounds, ...bounds.flatMap(disguised), ...choices, ...ODD, ...URLS, ...KEYS];
};

const arbitrary = fc.oneof(
  fc.maxSafeNat().map(String),
  fc.double().map(String),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string({ unit: 'binary', minLength: 28, maxLength: 36 }),
  fc.string(),
);
const PADDED = '; remove the white space around its value';

describe('the environment', () => {
  const integers = SCHEMAS.flatMap(([name, schema]) =>
    formsOf(schema).flatMap((form) => ('minimum' in form ? [[name, schema, form] as const] : [])),
  );
  it.each(integers)('has as %s digits for a whole number of its range, or a choice', (name, schema, form) => {
    const range = `a whole number from ${form.minimum} to ${form.maximum}`;
    const inRange = (text: string) => /^\d{1,15}$/.test(text) && +text >= form.minimum && +text <= form.maximum;
    const isUsable = (text: string) => inRange(text) || choicesOf(schema).includes(text);
    const message = `${name} must be ${[...choicesOf(schema), range].join(' or ')}`;
    const problemsWith = (text: string) => {
      if (text === '' || isUsable(text)) return [];
      return [message + (isUsable(text.trim()) ? PADDED : '')];
    };
    const converted = (text: string) => {
      if (text === '' || !isUsable(text)) return schema.default;
      return inRange(text) ? +text : text;
    };
    const check = (text: string) => {
      const { values, problems } = readEnvironment({ [name]: text });
      expect(problems).toEqual(problemsWith(text));
      expect(values[name]).toBe(converted(text));
    };
    for (const text of telling(schema)) check(text);
    const near = fc.integer({ min: form.minimum - 2, max: form.maximum + 2 }).map(String);
    fc.assert(fc.property(fc.oneof(near, arbitrary), check));
  });

  const choices = SCHEMAS.flatMap(([name, schema]) => ('enum' in schema ? [[name, schema] as const] : []));
  it.each(choices)('has as %s one of its choices', (name, schema) => {
    const check = (text: string) => {
      const isValid = text === '' || schema.enum.includes(text);
      const { values, problems } = readEnvironment({ [name]: text });
      const padding = schema.enum.includes(text.trim()) ? PADDED : '';
      expect(problems).toEqual(isValid ? [] : [`${name} must be ${schema.enum.join(' or ')}${padding}`]);
      expect(values[name]).toBe(isValid && text !== '' ? text : schema.default);
    };
    for (const text of telling(schema)) check(text);
    fc.assert(fc.property(arbitrary, check));
  });
});
