import { constants } from 'node:os';
import { isAppError } from '@baobab/core';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { endsConnection, translate } from '../../packages/adapters/src/postgres/errors.ts';

const fromServer = (code: string, severity = 'ERROR') =>
  Object.assign(new postgres.PostgresError('from the server'), { code, severity });
const fromSystem = (code: string) => Object.assign(new Error(`write ${code}`), { code, errno: -1, syscall: 'write' });

const isUnavailable = (error: unknown) => isAppError(error) && error.code === 'storage.unavailable';

describe('an error of the Postgres driver', () => {
  it.each(Object.keys(constants.errno))('is a lost connection when the system reports %s', (code) => {
    const error = translate(fromSystem(code));
    expect([isUnavailable(error), endsConnection(error)]).toEqual([true, true]);
  });

  it.each([
    'CONNECTION_CLOSED',
    'CONNECTION_DESTROYED',
    'CONNECTION_ENDED',
    'CONNECTION_NO_SERVER',
    'CONNECTION_UNENCRYPTED',
    'CONNECT_TIMEOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_STREAM_WRITE_AFTER_END',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('is a lost connection when the driver or TLS reports %s', (code) => {
    const error = translate(fromSystem(code));
    expect([isUnavailable(error), endsConnection(error)]).toEqual([true, true]);
  });

  it.each(['53300', '57014', '40001', '08006', '55006', '55P03', '25P03', '25P04'])(
    'comes from the server with code %s',
    (code) => {
      const error = fromServer(code);
      expect(isUnavailable(translate(error))).toBe(code !== '55006');
      expect(endsConnection(translate(error))).toBe(false);
    },
  );

  it.each([
    ['could not commit transaction for shard 102040 on at least one active node', true],
    ['failure on connection marked as essential: 10.0.0.2:5432', true],
    ['could not open relation with OID 1', false],
  ])('without a code says by its text whether Citus has lost a worker: %s', (message, isLost) => {
    const error = Object.assign(fromServer('XX000'), { message });
    expect([isUnavailable(translate(error)), endsConnection(translate(error))]).toEqual([isLost, false]);
  });

  it.each(['FATAL', 'PANIC'])('ends the connection when the server reports %s', (severity) => {
    expect(endsConnection(translate(fromServer('57P01', severity)))).toBe(true);
  });

  it.each(['UNDEFINED_VALUE', 'MAX_PARAMETERS_EXCEEDED', 'ERR_INVALID_ARG_TYPE', 'ERR_OUT_OF_RANGE'])(
    'is a fault of the program, not of the connection, with code %s',
    (code) => {
      const error = fromSystem(code);
      expect(translate(error)).toBe(error);
      expect(endsConnection(error)).toBe(false);
    },
  );

  it('keeps a custom SQLSTATE that looks like a system error code', () => {
    const error = fromServer('EPIPE');
    expect(translate(error)).toBe(error);
    expect(endsConnection(error)).toBe(false);
  });
});
