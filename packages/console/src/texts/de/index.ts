import type { texts as English } from '../en/index.ts';
import { assets } from './assets.ts';
import { audit } from './audit.ts';
import { checks } from './checks.ts';
import { code } from './code.ts';
import { collections } from './collections.ts';
import { common } from './common.ts';
import { documents } from './documents.ts';
import { files } from './files.ts';
import { groups } from './groups.ts';
import { indexes } from './indexes.ts';
import { keys } from './keys.ts';
import { overview } from './overview.ts';
import { palette } from './palette.ts';
import { parts } from './parts.ts';
import { push } from './push.ts';
import { roles } from './roles.ts';
import { settingDetails } from './setting-details.ts';
import { settings } from './settings.ts';
import { userDetails } from './user-details.ts';
import { users } from './users.ts';
import { webhooks } from './webhooks.ts';

/** All German texts of the console. Add one line for each area. */
export const texts: typeof English = {
  ...common,
  assets,
  audit,
  checks,
  files,
  groups,
  indexes,
  keys,
  overview,
  parts,
  push,
  roles,
  settingDetails,
  userDetails,
  webhooks,
  code,
  collections,
  documents,
  palette,
  settings,
  users,
};
