import type { Answer, CallOptions, World } from '../backend.ts';
import { NOWHERE } from '../documents.ts';
import { ringThrough } from '../live/bell.ts';
import { adminOf } from '../people.ts';
import { createChecks, Difference } from './checks.ts';
import { type FollowStep, followCall, isFollowStep } from './follow-steps.ts';
import { createOracle, type ModelDocument } from './oracle.ts';
import { appliesParents, createRulesBody } from './rules-body.ts';
import {
  type Caller,
  COLLECTIONS,
  type DocumentStep,
  type FeedStep,
  type Given,
  type GroupStep,
  isDocumentStep,
  isFeedStep,
  isGroupStep,
  type Links,
  type Random,
  type RoleRef,
  type Step,
  SUBSCRIBERS,
} from './steps.ts';
import { createSubscriptions } from './subscribers.ts';

/** Maximum number of document steps sent together. */
const MAX_TOGETHER = 30;
const MEMBERS = { read: '_allowRead', update: '_allowUpdate', delete: '_allowDelete', all: '_allow' } as const;

function kindOf(to: Given['to']): 'group' | 'user' | 'role' {
  if ('group' in to) return 'group';
  return 'user' in to ? 'user' : 'role';
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface Pending {
  readonly step: DocumentStep;
  readonly operation: Operation;
  readonly expected: number;
  /** The created document. */
  readonly created: ModelDocument | undefined;
}

/**
 * Creates a run with users, roles and documents, on the server and in the oracle.
 *
 * @param patience see `SubscribersDeps`
 */
export async function createRun(world: World, random: Random, patience: number) {
  const { call } = world;
  const tag = world.unique('m');
  const bell = `${tag}bell`;
  const admin: CallOptions = { basic: adminOf(world) }; // a session would be too old to change administrators
  const tokens = new Map<number, string>();
  /** Document ids by index, including deleted documents. */
  const ids = new Map<number, string>();
  const idOf = (place: number) => ids.get(place) ?? NOWHERE;
  const oracle = createOracle(idOf);
  /** Group ids by index, including deleted groups. */
  const groupIds = new Map<number, string>();
  /** Documents by their id on the server, including deleted ones. */
  const documents = new Map<string, ModelDocument>();
  let pending: Pending[] = [];
  let lastJoin = 0;
  /** True if anything was sent since the feed was last read to its end. */
  let isFeedBehind = true;

  const userName = (place: number) => `${tag}u${place}`;
  const roleName = (role: RoleRef) => (typeof role === 'number' ? `${tag}r${role}` : role);
  const collectionName = (place: number) => `${tag}c${place}`;

  function credentials(caller: Caller): CallOptions {
    if (caller === 'anonymous') return {};
    if (caller === 'admin') return admin;
    const token = tokens.get(caller);
    return token === undefined ? { basic: [userName(caller), 'secret'] } : { token };
  }

  function expectStatus(what: unknown, { status, text }: Answer, expected: number): void {
    if (status === expected) return;
    throw new Difference(`${JSON.stringify(what)}: ${status} instead of ${expected}: ${text}`);
  }

  function nameOf(to: Given['to']): string {
    if ('group' in to) return groupIds.get(to.group) ?? NOWHERE;
    return 'user' in to ? userName(to.user) : roleName(to.role);
  }

  function members(allow: readonly Given[]): Record<string, unknown> {
    const lists: Record<string, unknown[]> = {};
    for (const { action, to } of allow) {
      const name = MEMBERS[action];
      lists[name] = [...(lists[name] ?? []), { name: nameOf(to), isrole: 'role' in to, isgroup: 'group' in to }];
    }
    return lists;
  }

  function accessList(allow: readonly Given[]): Record<string, unknown> {
    const lists: Record<string, Record<string, string[]>> = {};
    for (const { action, to } of allow) {
      const list = lists[action] ?? {};
      const kind = `${kindOf(to)}s`;
      lists[action] = { ...list, [kind]: [...(list[kind] ?? []), nameOf(to)] };
    }
    return lists;
  }

  const pathOf = (place: number) =>
    `/document/${collectionName(oracle.documentAt(place)?.collection ?? 0)}/${idOf(place)}`;

  const linksOf = (links: Links) => ({
    ...(links.in !== null && { up: idOf(links.in) }),
    ...(links.friend !== null && { friend: userName(links.friend) }),
  });

  function operationOf(step: DocumentStep): Operation {
    const path = pathOf(step.doc);
    switch (step.op) {
      case 'create':
        return {
          method: 'POST',
          path: `/document/${collectionName(step.collection)}`,
          body: { n: step.n, ...linksOf(step), ...members(step.allow) },
        };
      case 'replace':
        return { method: 'PUT', path, body: { n: step.n, ...linksOf(step), replaced: true } };
      case 'move':
        return { method: 'PUT', path: `${path}/.up`, body: { data: idOf(step.in) } };
      case 'set n':
        return { method: 'PUT', path: `${path}/.n`, body: { data: step.n } };
      case 'delete':
        return { method: 'DELETE', path };
      case 'acl':
        return { method: 'PUT', path: `${path}/acl`, body: accessList(step.allow) };
      default: {
        const { action, to } = step;
        const method = step.op === 'grant' ? 'PUT' : 'DELETE';
        return { method, path: `${path}/${action}/${kindOf(to)}/${nameOf(to)}` };
      }
    }
  }

  function settle({ step, expected, created }: Pending, answer: Answer): void {
    expectStatus(step, answer, expected);
    if (created === undefined) return;
    created.id = answer.data.id;
    ids.set(step.doc, created.id);
    documents.set(created.id, created);
  }

  async function sendEach(items: readonly Pending[], options: CallOptions): Promise<void> {
    for (const item of items) {
      const { method, path, body } = item.operation;
      settle(item, await call(method, path, body === undefined ? options : { ...options, body }));
    }
  }

  async function sendTogether(items: readonly Pending[], options: CallOptions): Promise<void> {
    const answer = await call('POST', '/batch', {
      ...options,
      body: { operations: items.map((one) => one.operation) },
    });
    for (const [at, item] of items.entries()) {
      const own = answer.status === 200 ? answer.data[at] : answer.body;
      settle(item, { ...answer, status: own.http_code, text: JSON.stringify(own), body: own, data: own.data });
    }
  }

  /** Sends the queued steps together, or occasionally one at a time. */
  async function flush(): Promise<void> {
    const [first] = pending;
    if (first === undefined) return;
    const items = pending;
    pending = [];
    await (random.chance(0.1) ? sendEach : sendTogether)(items, credentials(first.step.by));
  }

  /** Records the current readers of a document and of its children. */
  function noteFamily(document: ModelDocument | undefined): void {
    for (const one of document === undefined ? [] : oracle.familyOf(document)) subscriptions.note(one);
  }

  /** Resolves to true if the step had an effect. */
  async function onDocument(step: DocumentStep): Promise<boolean> {
    const isOther = pending[0] !== undefined && pending[0].step.by !== step.by;
    const named = 'in' in step && step.in !== null ? [step.doc, step.in] : [step.doc];
    const waits = named.some((place) => oracle.documentAt(place)?.id === '');
    if (isOther || waits || pending.length >= MAX_TOGETHER) await flush();
    const before = oracle.documentAt(step.doc);
    if (step.op === 'create' && before !== undefined) return false;
    const operation = operationOf(step);
    noteFamily(before);
    const expected = oracle.apply(step);
    noteFamily(oracle.documentAt(step.doc));
    const created = before === undefined ? oracle.documentAt(step.doc) : undefined;
    pending.push({ step, operation, expected, created });
    return true;
  }

  const asAdmin = (method: string, path: string, body?: unknown) =>
    call(method, `/admin/${path}`, body === undefined ? admin : { ...admin, body });

  async function signUp(place: number): Promise<Answer> {
    const answer = await call('POST', '/user', { body: { username: userName(place), password: 'secret' } });
    if (answer.status === 201) {
      tokens.set(place, answer.data['X-BB-SESSION']);
      subscriptions.restart(place);
    }
    return answer;
  }

  async function activate(place: number): Promise<Answer> {
    tokens.delete(place); // invalidated by the suspension
    return asAdmin('PUT', `user/activate/${userName(place)}`);
  }

  const rulesOf = createRulesBody({ roleName, collectionName });

  async function remake(collection: number): Promise<Answer> {
    await asAdmin('DELETE', `collection/${collectionName(collection)}`);
    return asAdmin('POST', `collection/${collectionName(collection)}`);
  }

  /** Prevents two members from joining in the same millisecond: their order would then be that of their sign-up. */
  async function joining(method: string, url: string, options: CallOptions): Promise<Answer> {
    while (Date.now() === lastJoin) await new Promise((resolve) => setImmediate(resolve));
    const answer = await call(method, url, options);
    lastJoin = Date.now();
    return answer;
  }

  async function onGroup(step: GroupStep): Promise<Answer> {
    const options = credentials(step.by);
    const url = `/group/${groupIds.get(step.group) ?? NOWHERE}`;
    switch (step.op) {
      case 'make group': {
        const answer = await call('POST', '/group', { ...options, body: { name: `${tag}g${step.group}` } });
        if (answer.status === 201) groupIds.set(step.group, answer.data.id);
        lastJoin = Date.now();
        return answer;
      }
      case 'delete group':
        return call('DELETE', url, options);
      case 'set member':
        return joining('PUT', `${url}/member/${userName(step.user)}`, { ...options, body: { role: step.role } });
      case 'remove member':
        return call('DELETE', `${url}/member/${userName(step.user)}`, options);
      case 'accept invitation':
        return joining('PUT', url.replace('/group', '/me/group-invitations'), options);
      case 'decline invitation':
        return call('DELETE', url.replace('/group', '/me/group-invitations'), options);
    }
  }

  function sendFollow(step: FollowStep): Promise<Answer> {
    const { method, path, body, by } = followCall(step, userName);
    const options = by === null ? admin : credentials(by);
    return call(method, path, body === undefined ? options : { ...options, body });
  }

  function removeUser(place: number): Promise<Answer> {
    for (const document of documents.values()) subscriptions.note(document);
    return asAdmin('DELETE', `user/${userName(place)}`);
  }

  async function readFeed({ op, subscriber }: FeedStep): Promise<void> {
    if (op === 'catch up') return subscriptions.catchUp(subscriber);
    if (isFeedBehind) await ringThrough(call, admin, bell);
    isFeedBehind = false;
    await subscriptions.compare(subscriber);
  }

  function send(step: Exclude<Step, DocumentStep | FeedStep>): Promise<Answer> {
    if (isGroupStep(step)) return onGroup(step);
    if (isFollowStep(step)) return sendFollow(step);
    switch (step.op) {
      case 'sign up':
        return signUp(step.user);
      case 'remove user':
        return removeUser(step.user);
      case 'suspend':
        return asAdmin('PUT', `user/suspend/${userName(step.user)}`);
      case 'activate':
        return activate(step.user);
      case 'give role':
        return asAdmin('PUT', `user/${userName(step.user)}`, { role: roleName(step.role) });
      case 'add role':
        return asAdmin('POST', `role/${roleName(step.role)}`);
      case 'remove role':
        return asAdmin('DELETE', `role/${roleName(step.role)}`);
      case 'rename role':
        return asAdmin('PUT', `role/${roleName(step.role)}`, { name: roleName(step.to) });
      case 'followers read':
        return asAdmin('PUT', 'configuration/Application/followers.read.documents', { value: step.on });
      case 'set rules':
        return asAdmin('PUT', `collection/${collectionName(step.collection)}/rules`, rulesOf(step));
      case 'remake collection':
        return remake(step.collection);
    }
  }

  for (let place = 0; place < COLLECTIONS; place++) await asAdmin('POST', `collection/${collectionName(place)}`);
  // With an index, other statements answer the same queries.
  if (random.chance(0.3)) await asAdmin('PUT', `collection/${collectionName(0)}/index/n`);
  await asAdmin('POST', `collection/${bell}`);
  const hasParents = await appliesParents(asAdmin, `${tag}probe`);
  const documentOf = (id: string) => documents.get(id);
  const subscriptions = createSubscriptions({ call, oracle, credentials, collectionName, documentOf, patience });
  const checks = createChecks({ call, oracle, random, credentials, collectionName, userName, ids });

  return {
    /** Applies a step to both. Resolves to true if it had an effect. @throws `Difference` */
    async take(step: Step): Promise<boolean> {
      if (!isFeedStep(step)) isFeedBehind = true;
      if (isDocumentStep(step)) return onDocument(step);
      await flush();
      if (isFeedStep(step)) return readFeed(step).then(() => true);
      if (step.op === 'make group' && oracle.groupExists(step.group)) return false;
      if (step.op === 'set rules' && step.parent != null && !hasParents) return false;
      expectStatus(step, await send(step), oracle.apply(step));
      return true;
    },
    /** Records a step that another run has applied to the server. */
    async hear(step: Exclude<Step, FeedStep>): Promise<void> {
      await flush();
      isFeedBehind = true;
      oracle.apply(step);
    },
    /** Resolves when all queued steps are sent. @throws `Difference` */
    settle: flush,
    /** Compares the results of some callers with the predictions of the oracle. @throws `Difference` */
    async check(callers: readonly Caller[]): Promise<void> {
      await flush();
      for (const caller of callers) await checks.someOf(caller);
    },
    /** Compares everything. @throws `Difference` */
    async checkAll(callers: readonly Caller[]): Promise<void> {
      await flush();
      for (const caller of callers) await checks.allOf(caller);
      for (let subscriber = 0; subscriber < SUBSCRIBERS; subscriber++) await readFeed({ op: 'compare', subscriber });
    },
  };
}
