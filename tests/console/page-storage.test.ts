import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createConnection } from '../../packages/console/src/connection.ts';
import { pageStorage } from '../../packages/console/src/page-storage.ts';

const refuse = () => {
  throw new DOMException('Access is denied for this document', 'SecurityError');
};

/** A browser that blocks site data: every access throws. */
function block(name: 'localStorage' | 'sessionStorage') {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { get: refuse, configurable: true });
  return () => {
    if (before === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, before);
  };
}

describe('the console in a browser that blocks site data', () => {
  let unblock: () => void = () => undefined;
  let reloads = 0;
  beforeEach(() => {
    reloads = 0;
    vi.stubGlobal('location', { hash: '', reload: () => reloads++ });
    vi.stubGlobal('addEventListener', () => undefined);
  });
  afterEach(() => {
    unblock();
    vi.unstubAllGlobals();
  });

  it('starts in a language, and can change to another one', async () => {
    unblock = block('localStorage');
    vi.resetModules();
    const { chooseLanguage, LANGUAGES, language } = await import('../../packages/console/src/language.ts');
    expect(Object.keys(LANGUAGES)).toContain(language);
    chooseLanguage('de');
    expect(reloads).toBe(1);
  });

  it('asks for the login', () => {
    unblock = block('sessionStorage');
    const storage = pageStorage('sessionStorage');
    const { state } = createConnection({ url: 'http://localhost:9000', appCode: '123', storage });
    expect(state()).toMatchObject({ appCode: '123', session: null });
    state().client.close();
    storage.setItem('a', '1');
    storage.removeItem('a');
    expect(storage.getItem('a')).toBe(null);
  });
});
