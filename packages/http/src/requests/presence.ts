import { AppError, type FactorProof, isJsonObject, type JsonValue, type Presence } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../callers/client-address.ts';

interface SentProof {
  readonly code?: string | null;
  readonly recovery_code?: string | null;
}

/** Returns the two-factor proof in a body. @throws `input.invalid` unless there is exactly one */
export function proofIn({ code = null, recovery_code = null }: SentProof): FactorProof {
  if (code !== null && recovery_code === null) return { code };
  if (code === null && recovery_code !== null) return { recoveryCode: recovery_code };
  throw new AppError('input.invalid', { detail: 'send either code or recovery_code', input: '/code' });
}

/** Returns the proof of the caller's presence in the body. */
export const presenceOf = (request: FastifyRequest): Presence => ({
  password: textsIn(request.body, ['current_password']).current_password,
  address: clientAddress(request),
});

/**
 * Returns text members of an optional body, or null for each absent one. Older clients call these routes without a
 * body.
 *
 * @throws `input.invalid`
 */
export function textsIn<Name extends string>(body: unknown, names: readonly Name[]): Record<Name, string | null> {
  const sent = body ?? {};
  if (!isJsonObject(sent as JsonValue)) {
    throw new AppError('input.invalid', { detail: 'the body must be an object', input: '' });
  }
  const texts = names.map((name) => {
    const value = (Object.hasOwn(sent, name) ? (sent as Record<string, unknown>)[name] : null) ?? null;
    if (value !== null && typeof value !== 'string') {
      throw new AppError('input.invalid', { detail: `${name} must be a text`, input: `/${name}` });
    }
    return [name, value];
  });
  return Object.fromEntries(texts);
}
