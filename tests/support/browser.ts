import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { filledOnce } from './filled-once.ts';
import { PATIENCE_MS } from './patience.ts';

/** Installation paths of Debian and other distributions. */
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Only the flags that a container requires: none that make it more lenient than a user's browser. */
const ARGS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'];

/** Package with a browser, which unpacks it into the temporary folder. */
const BUNDLED = '@sparticuz/chromium';
const UNPACK = `import bundled from '${BUNDLED}'; await bundled.executablePath();`;

/** Returns the path of the installed browser, or else of one from an npm package, which the first call unpacks. */
export function browserPath(): string {
  const installed = INSTALLED.find((path) => existsSync(path));
  if (installed !== undefined) return installed;
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'));
  const { version } = lock.packages[`node_modules/${BUNDLED}`];
  const folder = filledOnce(`chromium-${version}`, (draft) => {
    const options = { cwd: import.meta.dirname, env: { ...process.env, TMPDIR: draft } };
    execFileSync(process.execPath, ['--input-type=module', '--eval', UNPACK], options);
  });
  return join(folder, 'chromium');
}

/** Starts a real browser. */
export async function startBrowser({ handleSIGTERM = true } = {}): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath(), args: ARGS, handleSIGTERM });
}

/** The browser methods that tests use. Contexts share neither storage nor sessions. */
export type SharedBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>;

let shared: Promise<Browser> | null = null;

function start(): Promise<Browser> {
  // Vitest ends its processes with this signal; Playwright kills the browser when the process exits.
  process.once('SIGTERM', () => process.exit());
  return startBrowser({ handleSIGTERM: false });
}

/**
 * Opens a browser shared by all test files of this process, because starting one takes a second of processor time.
 * `close` closes only the contexts opened here.
 */
export async function openBrowser(): Promise<SharedBrowser> {
  shared ??= start();
  const browser = await shared;
  const contexts = new Set<BrowserContext>();
  function add(context: BrowserContext): void {
    context.setDefaultTimeout(PATIENCE_MS);
    contexts.add(context);
  }
  return {
    async newContext(options) {
      const context = await browser.newContext(options);
      add(context);
      return context;
    },
    async newPage(options) {
      const page = await browser.newPage(options);
      add(page.context());
      return page;
    },
    async close() {
      await Promise.all([...contexts].map((context) => context.close()));
    },
  };
}
