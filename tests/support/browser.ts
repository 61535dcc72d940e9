import { existsSync } from 'node:fs';
import bundled from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { PATIENCE_MS } from './patience.ts';

/** Installation paths of Debian and other distributions. */
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Only the flags that a container requires: none that make it more lenient than a user's browser. */
const ARGS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'];

/**
 * Returns the path of the installed browser, or else of one from an npm package, which the first call unpacks. The
 * first call must not run in several processes concurrently.
 */
export async function browserPath(): Promise<string> {
  return INSTALLED.find((path) => existsSync(path)) ?? bundled.executablePath();
}

/** Starts a real browser. */
export async function startBrowser({ handleSIGTERM = true } = {}): Promise<Browser> {
  return chromium.launch({ executablePath: await browserPath(), args: ARGS, handleSIGTERM });
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
