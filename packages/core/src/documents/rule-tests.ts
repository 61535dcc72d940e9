import { EVERYTHING } from '../access.ts';
import { type Actor, ANONYMOUS, requireAdmin } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import { members, RULE_ACTIONS } from '../collections/rules-body.ts';
import { AppError, isAppError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, type ParsedJson, parseJson } from '../json-text.ts';
import { userKey } from '../names/names.ts';
import type { RuleAction } from '../ports/storage/collections.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { FOLLOWERS_READ } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { findActor } from '../users/actors.ts';
import { isUuid } from '../wire.ts';
import type { Documents } from './documents.ts';
import { type CheckedDocument, createRuleReasons, type RuleReason } from './rule-reasons.ts';
import type { DocumentTransactions } from './transactions.ts';

const MEMBERS = ['user', 'action', 'document', 'content'] as const;

/** True if a user can do something, and why. */
export interface RuleTest {
  readonly allowed: boolean;
  /** Every source of the permission, each followed by its parents; or the reason for the refusal. */
  readonly because: readonly RuleReason[];
}

interface Wanted {
  /** Null for an anonymous caller. */
  readonly user: string | null;
  readonly action: RuleAction;
  /** Id of the document; null to create one. */
  readonly document: string | null;
  /** Content to store; null for that of the document. */
  readonly content: JsonObject | null;
}

/** Ends a transaction so that it leaves nothing behind. */
class Undo extends Error {}

const invalid = (input: `/${string}`, detail: string) => new AppError('input.invalid', { detail, input });

function parseContent(action: RuleAction, content: JsonValue | undefined): JsonObject | null {
  if (content === undefined) return action === 'create' ? {} : null;
  if (action !== 'create' && action !== 'update') throw invalid('/content', `"${action}" stores no content`);
  if (!isJsonObject(content)) throw invalid('/content', 'an object is expected');
  return content;
}

/** @throws `input.invalid`, `document.not_found` */
function parseWanted({ value }: ParsedJson): Wanted {
  const given = members(value, '', MEMBERS);
  const { user = null, document = null, content } = given;
  const action = RULE_ACTIONS.find((one) => one === given.action);
  if (action === undefined) throw invalid('/action', `one of ${RULE_ACTIONS.join(', ')} is expected`);
  if (user !== null && typeof user !== 'string') throw invalid('/user', 'a user name is expected, or null');
  if ((document === null) !== (action === 'create') || (document !== null && typeof document !== 'string')) {
    throw invalid('/document', 'the id of a document is expected, and none to create one');
  }
  if (document !== null && !isUuid(document)) throw new AppError('document.not_found');
  return { user, action, document: document?.toLowerCase() ?? null, content: parseContent(action, content) };
}

export interface RuleTestsDeps {
  readonly storage: Storage;
  readonly transact: DocumentTransactions;
  readonly settings: SettingsReader;
}

export type RuleTests = ReturnType<typeof createRuleTests>;

/** Tests permissions and rules for administrators. */
export function createRuleTests({ storage, transact, settings }: RuleTestsDeps) {
  /** Runs a call in a transaction that is undone. Resolves to the error with which it is refused; null without one. */
  async function refusalOf(actor: Actor, call: (documents: Documents) => Promise<unknown>): Promise<AppError | null> {
    const work = async (documents: Documents): Promise<never> => {
      await call(documents);
      throw new Undo();
    };
    try {
      await transact(actor, { changes: [], keyed: null, work });
    } catch (error) {
      if (error instanceof Undo) return null;
      if (isAppError(error)) return error;
      throw error;
    }
    return null;
  }

  /** @throws `collection.not_found`, `document.not_found`, `user.not_found` */
  async function find(name: string, { user, document: id, content }: Wanted) {
    const key = collectionKey(name);
    const collection = await storage.collections.findName(key);
    if (collection === null) throw new AppError('collection.not_found');
    const actor = user === null ? ANONYMOUS : await findActor(storage, user);
    if (actor === null) throw new AppError('user.not_found', { input: '/user' });
    const document = id === null ? null : await storage.documents.find({ collection: key, id }, EVERYTHING);
    if (id !== null && document === null) throw new AppError('document.not_found');
    return { actor, place: { collection, document, content: content ?? {} } };
  }

  /** Returns why the user cannot log in; null if they can. */
  async function loginRefusal({ user }: Wanted): Promise<AppError | null> {
    const status = user === null ? 'ACTIVE' : (await storage.users.findByKey(userKey(user)))?.status;
    if (status === 'ACTIVE') return null;
    return new AppError('session.invalid', { message: `${user} is suspended, or is deleting the account` });
  }

  /** Tries to do, as the user, what is tested. */
  const attempt = (actor: Actor, { collection, document }: CheckedDocument, { action, content }: Wanted) =>
    refusalOf(actor, async (documents) => {
      const body = parseJson(content === null ? (document?.content ?? '{}') : JSON.stringify(content));
      if (document === null) return documents.create(actor, { collection, body });
      const path = { collection, id: document.id };
      if (action === 'read') return documents.read(actor, path);
      return action === 'update' ? documents.replace(actor, { ...path, body }) : documents.remove(actor, path);
    });

  return {
    /**
     * Returns true if a user can do something with a document now, with the reasons. Tries it as a request of that user
     * would, and undoes it.
     *
     * @throws `auth.required`, `admin.required`, `collection.not_found`, `document.not_found`, `user.not_found`,
     * `input.invalid`
     */
    async test(caller: Actor, { name, body }: { name: string; body: ParsedJson }): Promise<RuleTest> {
      requireAdmin(caller);
      const wanted = parseWanted(body);
      const { actor, place } = await find(name, wanted);
      const refusal = (await loginRefusal(wanted)) ?? (await attempt(actor, place, wanted));
      const reasons = createRuleReasons({
        stores: storage,
        rules: await storage.collections.rules(),
        followersRead: (await settings.current())[FOLLOWERS_READ],
        actor,
      });
      if (refusal === null) return { allowed: true, because: await reasons.forSuccess(wanted.action, place) };
      return { allowed: false, because: [await reasons.forRefusal(refusal, wanted.action, place)] };
    },
  };
}
