import { expect } from 'vitest';

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Asserts that a failure is the error envelope, reveals no internals, and repeats no credentials. */
export function expectFailure({ status, text }: Answered, expected: number, secrets: readonly string[] = []): void {
  expect([status, text]).toEqual([expected, expect.stringMatching(/^\{"result":"error",.*\}$/s)]);
  const body = JSON.parse(text);
  expect(body).toEqual({
    result: 'error',
    message: expect.stringMatching(/\S/),
    code: expect.stringMatching(/^[a-z_]+(\.[a-z_]+)?$/),
    ...(body.errors === undefined
      ? {}
      : { errors: body.errors.map(() => ({ path: expect.any(String), message: expect.stringMatching(/\S/) })) }),
    resource: expect.any(String),
    method: expect.any(String),
    request_header: expect.any(Object),
    API_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    http_code: expected,
    ...(body.code === 'auth.second_factor_required' && { challenge: body.challenge }),
    ...(body.operation === undefined ? {} : { operation: expect.any(Number) }),
    ...(body.bb_code === undefined ? {} : { bb_code: expect.stringMatching(/^\d{5}$/) }),
    ...(body.call_id === undefined ? {} : { call_id: expect.any(String) }),
  });
  expect(Object.values(body.request_header).every(Array.isArray)).toBe(true);
  expect(text).not.toMatch(/node_modules|\.[jt]s:\d+|\bat \S+ \(|node:internal|select |insert into/);
  for (const secret of secrets) expect(text).not.toContain(secret);
}
