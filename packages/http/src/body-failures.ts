import { AppError, type ErrorCode } from '@baobab/core';
import type { FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { pointerOf, validationMessage } from './input-errors.ts';

/** Options of a route whose JSON body, if invalid, fails with `code` instead of `input.invalid`. */
export function bodyFailures(code: ErrorCode) {
  return {
    /** Otherwise an absent body would fail like an invalid one. */
    preValidation: (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) =>
      done(request.json === null ? new AppError('input.empty') : undefined),

    schemaErrorFormatter(problems: FastifySchemaValidationError[], part: string): Error {
      const [problem] = problems;
      return new AppError(code, {
        detail: validationMessage(problems, part),
        ...(problem && { input: pointerOf(problem) }),
      });
    },
  };
}
