// Writes packages/core/src/users/confusables.ts from Unicode's table: node scripts/confusables.mjs <confusables.txt>
// The table is https://www.unicode.org/Public/security/latest/confusables.txt. Who makes another version of it stores a
// migration with it that sets users.skeleton_of to null, so that all skeletons are made anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WIDTH = 116;
const text = readFileSync(process.argv[2], 'utf8');
const version = /^# Version: (\S+)/m.exec(text)?.[1] ?? 'unknown';

const codePoint = (hex) => Number.parseInt(hex, 16);
const entries = Array.from(text.matchAll(/^\ufeff?([0-9A-F]+)\s*;\s*([0-9A-F ]+?)\s*;/gm), ([, source, target]) => ({
  source: codePoint(source),
  target: target.split(' ').map(codePoint),
}))
  // Others never come: names are compared in the form NFKC, decomposed.
  .filter(({ source }) => {
    const character = String.fromCodePoint(source);
    return character.normalize('NFKC').normalize('NFD') === character;
  })
  .sort((a, b) => a.source - b.source);

let previous = 0;
const lines = [''];
for (const { source, target } of entries) {
  const entry = [source - previous, ...target].map((number) => number.toString(36)).join('.');
  previous = source;
  const line = lines.pop();
  if (line !== '' && line.length + 1 + entry.length > WIDTH) lines.push(line, entry);
  else lines.push(line === '' ? entry : `${line} ${entry}`);
}

const source = `// Made by scripts/confusables.mjs from confusables.txt ${version} of Unicode.
// Copyright © 1991-2025 Unicode, Inc., under the Unicode License v3: https://www.unicode.org/license.txt

/**
 * Characters and what they look like, in ascending order: for each the distance from the one before, and the code points
 * of its prototype, in base 36.
 */
export const CONFUSABLES = \`
${lines.join('\n')}
\`;
`;
writeFileSync(join(import.meta.dirname, '../packages/core/src/users/confusables.ts'), source);
console.log(`${entries.length} characters, Unicode ${version}`);
