import { access } from './access.ts';
import { assets } from './assets.ts';
import { audit } from './audit.ts';
import { code } from './code.ts';
import { collections } from './collections.ts';
import { common } from './common.ts';
import { documents } from './documents.ts';
import { files } from './files.ts';
import { groups } from './groups.ts';
import { health } from './health.ts';
import { indexes } from './indexes.ts';
import { keys } from './keys.ts';
import { logs } from './logs.ts';
import { overview } from './overview.ts';
import { palette } from './palette.ts';
import { parts } from './parts.ts';
import { push } from './push.ts';
import { roles } from './roles.ts';
import { rules } from './rules.ts';
import { serverMessages } from './server-messages.ts';
import { settingHelp } from './setting-help.ts';
import { settingTitles } from './setting-titles.ts';
import { settings } from './settings.ts';
import { userDetails } from './user-details.ts';
import { users } from './users.ts';
import { webhooks } from './webhooks.ts';

/** All English texts of the console. Add one line for each area. */
export const texts = {
  ...common,
  access,
  assets,
  audit,
  files,
  groups,
  health,
  indexes,
  keys,
  logs,
  overview,
  parts,
  push,
  roles,
  rules,
  serverMessages,
  settingHelp,
  settingTitles,
  userDetails,
  webhooks,
  code,
  collections,
  documents,
  palette,
  settings,
  users,
};
