import { existsSync } from 'node:fs';
import bundled from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and other distributions install it. */
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Only the flags that a container needs: none that make it more lenient than a user's browser. */
const ARGS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'];

/** A real browser: the installed one, or else one from an npm package. */
export async function startBrowser(): Promise<Browser> {
  const installed = INSTALLED.find((path) => existsSync(path));
  return chromium.launch({ executablePath: installed ?? (await bundled.executablePath()), args: ARGS });
}
