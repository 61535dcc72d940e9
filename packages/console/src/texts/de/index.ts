import type { texts as English } from '../en/index.ts';
import { code } from './code.ts';
import { collections } from './collections.ts';
import { common } from './common.ts';
import { documents } from './documents.ts';
import { palette } from './palette.ts';
import { settings } from './settings.ts';
import { users } from './users.ts';

/** Every text of the console in German. Add one line for each area. */
export const texts: typeof English = {
  ...common,
  code,
  collections,
  documents,
  palette,
  settings,
  users,
};
