import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';
import { readDocument } from '../support/markdown.ts';
import { DOCUMENT_PATH } from './generate.ts';

/** Spectral's severity of an error. */
const ERROR = 0;

const source = readDocument(DOCUMENT_PATH);

it('Redocly finds no error in docs/openapi.json', async () => {
  const config = await createConfig({ extends: ['recommended'], telemetry: 'off' });
  const problems = await lintFromString({ source, absoluteRef: `/${DOCUMENT_PATH}`, config });
  const errors = problems.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  // Proof that the rules ran.
  expect(new Set(problems.map(({ ruleId }) => ruleId))).toContain('no-ambiguous-paths');
});

it('Spectral finds no error in docs/openapi.json', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[oas, 'recommended']] } as never);
  const problems = await linter.run(JSON.parse(source));
  const errors = problems.filter(({ severity }) => severity === ERROR);
  expect(errors.map(({ code, message, path }) => `${code} at ${path.join('.')}: ${message}`)).toEqual([]);
  expect(new Set(problems.map(({ code }) => code))).toContain('info-contact');
});
