import { type Environment, VARIABLES } from '../config.ts';

const KNOWN = Object.keys(VARIABLES);
/** Names of at least this length may differ in two places. */
const LONG = 8;

/** How many characters to insert, remove or replace, or neighbours to swap, to get from `a` to `b`. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1)));
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.length, b.length);
}

/** The known variable that a name was probably meant to be; null when there is none. */
export function meantBy(name: string): string | null {
  if (KNOWN.includes(name)) return null;
  const plain = name.toUpperCase().replace(/^BAOBAB_/, '');
  const [nearest] = KNOWN.map((known) => ({ known, away: distance(plain, known) })).sort((a, b) => a.away - b.away);
  if (nearest === undefined) return null;
  return nearest.away <= (nearest.known.length >= LONG ? 2 : 1) ? nearest.known : null;
}

/** Variables that are not ours but look like ours, with the names that were probably meant. */
export function misspelt(env: Environment): ReadonlyArray<{ readonly name: string; readonly meant: string }> {
  return Object.keys(env).flatMap((name) => {
    const meant = meantBy(name);
    return meant === null || env[meant] !== undefined ? [] : [{ name, meant }];
  });
}
