import type { SocialLink, SocialLinkStore } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing, changesOne } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';

const COLUMNS = `network, person as "personId", user_id as "userId", sealed, details`;
const FIND = `select ${COLUMNS} from social_links where network = ?1 and person = ?2`;
const LIST = `select ${COLUMNS} from social_links where user_id = ?1 order by network`;
/** The next three statements have the same parameters: network, person, user, and the fields that may change. */
const RENEW = onCopies(`update social_links set sealed = ?4, details = ?5
  where network = ?1 and person = ?2 and user_id = ?3`);
const ADD = onCopies(`insert into social_links (network, person, user_id, sealed, details)
  values (?1, ?2, ?3, ?4, ?5) on conflict do nothing`);
const REPLACE = onCopies(`update social_links set person = ?2, sealed = ?4, details = ?5
  where user_id = ?3 and network = ?1
  and not exists (select 1 from social_links other where other.network = ?1 and other.person = ?2)`);
const REMOVE = onCopies('delete from social_links where user_id = ?1 and network = ?2');

export function createSocialLinkStore(executor: SqlExecutor): SocialLinkStore {
  return {
    find: (network, personId) => executor.readOne<SocialLink>(FIND, [network, personId]),
    list: (userId) => executor.read<SocialLink>(LIST, [userId]),
    async put({ network, personId, userId, sealed, details }) {
      const values = [network, personId, userId, sealed, details];
      try {
        return await executor.atomic(async (transaction) => {
          // At most one of the three applies. If none does, nothing has changed.
          for (const statement of [RENEW, ADD, REPLACE]) {
            if ((await transaction.change(statement, values)) === 1) return true;
          }
          return false;
        });
      } catch (error) {
        // Another transaction linked the person between the look-up and the change.
        if (executor.isUniqueViolation(error)) return false;
        return asMissing(executor)(error);
      }
    },
    remove: (userId, network) => changesOne(executor, REMOVE, [userId, network]),
  };
}
