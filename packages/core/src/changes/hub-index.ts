import { authorAudience, EVERYBODY } from '../access.ts';
import type { RequiredValue } from '../criteria/required.ts';
import type { Path, Scalar } from '../criteria/syntax.ts';
import { type Resolve, scalarOf, valueAt } from '../criteria/values.ts';
import type { VisibilityChange } from '../ports/storage/changes.ts';
import { type FeedReader, visibilityAudiences } from './readers.ts';

/** The part of the feed that a member of the hub receives. */
export interface Interest {
  readonly reader: FeedReader;
  /** Keys of collections; null for all. */
  readonly collections: readonly string[] | null;
  /** Ids of followed users whose documents the reader may therefore read. */
  readonly followed: readonly string[];
  /**
   * True if the reader follows too many users for the index, or has permissions that depend on the documents, and has
   * to read the feed separately.
   */
  readonly isPolled: boolean;
}

/** Returns the audiences of entries that reach the reader, in every collection. */
function audiencesOf({ reader: { actor, scope }, followed }: Interest): readonly string[] {
  if (scope.everything) return [EVERYBODY];
  const authors = scope.owner === null ? followed : [scope.owner, ...followed];
  return [...actor.principals, ...authors.map(authorAudience)];
}

/** Returns a name in the index: an audience, within one collection or (with an empty key) in all. */
const nameOf = (collection: string, audience: string) => `${collection}|${audience}`;

function namesOf(interest: Interest): readonly string[] {
  const { collections, reader } = interest;
  const open = reader.openCollections.filter((key) => collections?.includes(key) ?? true);
  const names = (collections ?? ['']).flatMap((key) => audiencesOf(interest).map((one) => nameOf(key, one)));
  return [...names, ...open.map((key) => nameOf(key, EVERYBODY))];
}

/** Returns true if a change of visibility affects a reader. */
export function isConcerned({ reader, collections }: Interest, mark: VisibilityChange): boolean {
  if (mark.reason === 'follow' && !reader.scope.followed) return false;
  if (mark.collection !== null && collections !== null && !collections.includes(mark.collection)) return false;
  return visibilityAudiences(reader).includes(mark.audience);
}

interface Indexed {
  readonly interest: Interest;
  /** Value that the filter of the member requires; null if there is none. */
  readonly required: RequiredValue | null;
}

/** Members whose filters require a value at the same path. */
interface PathMembers<Member> {
  readonly path: Path;
  readonly members: Set<Member>;
  readonly byValue: Map<Scalar, Set<Member>>;
}

/** The members of one audience. */
function createGroup<Member extends Indexed>() {
  const others = new Set<Member>();
  const paths = new Map<string, PathMembers<Member>>();

  function addAt(key: string, { path, values }: RequiredValue, member: Member): void {
    const at = paths.get(key) ?? { path, members: new Set(), byValue: new Map() };
    paths.set(key, at);
    at.members.add(member);
    for (const value of values) at.byValue.set(value, (at.byValue.get(value) ?? new Set()).add(member));
  }

  function deleteAt(key: string, { values }: RequiredValue, member: Member): void {
    const at = paths.get(key);
    if (at === undefined) return;
    at.members.delete(member);
    if (at.members.size === 0) paths.delete(key);
    for (const value of values) {
      const set = at.byValue.get(value);
      set?.delete(member);
      if (set?.size === 0) at.byValue.delete(value);
    }
  }

  return {
    add(member: Member): void {
      const { required } = member;
      if (required === null) others.add(member);
      else addAt(JSON.stringify(required.path), required, member);
    },

    delete(member: Member): void {
      const { required } = member;
      if (required === null) others.delete(member);
      else deleteAt(JSON.stringify(required.path), required, member);
    },

    *members(): Generator<Member> {
      yield* others;
      for (const { members } of paths.values()) yield* members;
    },

    /** Yields the members whose filters may match. */
    *matching(resolve: Resolve): Generator<Member> {
      yield* others;
      for (const { path, byValue } of paths.values()) {
        const value = scalarOf(valueAt(path, resolve));
        if (value !== null) yield* byValue.get(value) ?? [];
      }
    },

    get isEmpty() {
      return others.size === 0 && paths.size === 0;
    },
  };
}

/**
 * Finds members by audience, and by the values that their filters require, so that the cost of an entry is proportional
 * to the number of its receivers.
 */
export function createHubIndex<Member extends Indexed>() {
  const groups = new Map<string, ReturnType<typeof createGroup<Member>>>();
  const names = new Map<Member, readonly string[]>();

  return {
    add(member: Member): void {
      const own = namesOf(member.interest);
      names.set(member, own);
      for (const name of own) {
        const group = groups.get(name) ?? createGroup<Member>();
        groups.set(name, group);
        group.add(member);
      }
    },

    /** No-op for non-members. */
    delete(member: Member): void {
      for (const name of names.get(member) ?? []) {
        const group = groups.get(name);
        group?.delete(member);
        if (group?.isEmpty === true) groups.delete(name);
      }
      names.delete(member);
    },

    /**
     * Yields the members in an audience, in one collection. A member may appear twice.
     *
     * @param states values of a document in one or more states, to omit members whose filters require others; null for
     * all members
     */
    *find(collection: string, audience: string, states: readonly Resolve[] | null): Generator<Member> {
      for (const name of [nameOf('', audience), nameOf(collection, audience)]) {
        const group = groups.get(name);
        if (group === undefined) continue;
        if (states === null) yield* group.members();
        else for (const state of states) yield* group.matching(state);
      }
    },

    /** Returns all members. */
    members: (): Iterable<Member> => names.keys(),

    get size() {
      return names.size;
    },
  };
}
