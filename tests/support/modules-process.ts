// Use with `--import`: when the process exits, it writes the names of the packages whose modules were loaded to the
// path in MODULES_FILE.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const packages = new Set<string>();

function add(path: string): void {
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(path) ?? [];
  if (name !== undefined) packages.add(name);
}

registerHooks({
  load(url, context, nextLoad) {
    add(url);
    // A file of the bundle contains modules of several packages.
    const map = url.includes('/dist/bundle/') ? `${fileURLToPath(url)}.map` : '';
    if (existsSync(map)) for (const source of JSON.parse(readFileSync(map, 'utf8')).sources) add(source);
    return nextLoad(url, context);
  },
});

process.on('exit', () => writeFileSync(process.env.MODULES_FILE ?? '', [...packages].join('\n')));
