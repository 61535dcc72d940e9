// `--import` this file: when the process ends, the path in MODULES_FILE lists the packages from which it loaded modules.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const packages = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return nextLoad(url, context);
  },
});

process.on('exit', () => writeFileSync(process.env.MODULES_FILE ?? '', [...packages].join('\n')));
