// `--import` this file: when the process ends, the path in MODULES_FILE lists the packages from which it loaded modules.
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
    // A file of the bundle has modules of several packages in it.
    const map = url.includes('/dist/bundle/') ? `${fileURLToPath(url)}.map` : '';
    if (existsSync(map)) for (const source of JSON.parse(readFileSync(map, 'utf8')).sources) add(source);
    return nextLoad(url, context);
  },
});

process.on('exit', () => writeFileSync(process.env.MODULES_FILE ?? '', [...packages].join('\n')));
