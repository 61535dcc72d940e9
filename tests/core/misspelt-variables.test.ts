import { describe, expect, it } from 'vitest';
import { meantBy } from '../../packages/server/src/doctor/variables.ts';

describe('variables that look like ours', () => {
  it('are recognised with a letter too many, too few, wrong or swapped', () => {
    const names = [
      'DATABSE_URL',
      'DATABASE_URI',
      'PROT',
      'WORKER',
      'SECRETKEY',
      'database_url',
      'BAOBAB_PORT',
      'LOGLEVEL',
    ];
    expect(names.map(meantBy)).toEqual([
      'DATABASE_URL',
      'DATABASE_URL',
      'PORT',
      'WORKERS',
      'SECRET_KEY',
      'DATABASE_URL',
      'PORT',
      'LOG_LEVEL',
    ]);
  });

  it('are not confused with variables of others', () => {
    const others = [
      'HOME',
      'PATH',
      'HOSTNAME',
      'USER',
      'PWD',
      'LANG',
      'NODE_ENV',
      'AWS_REGION',
      'TERM',
      'SHELL',
      'DATABASE',
    ];
    expect(others.map(meantBy)).toEqual(others.map(() => null));
    expect(meantBy('DATABASE_URL')).toBeNull();
  });
});
