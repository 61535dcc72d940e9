import { authorAudience, EVERYBODY } from '../access.ts';
import type { VisibilityChange } from '../ports/storage/changes.ts';
import type { FeedReader } from './readers.ts';
import { visibilityAudiences } from './readers.ts';

/** The part of the feed that a member of the hub receives. */
export interface Interest {
  readonly reader: FeedReader;
  /** Keys of collections; null for all. */
  readonly collections: readonly string[] | null;
  /** Ids of followed users whose documents the reader may therefore read. */
  readonly followed: readonly string[];
  /** True if the reader follows too many users for the index, and has to read the feed separately. */
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

/** Finds members by audience, so that the cost of an entry is proportional to the number of its receivers. */
export function createHubIndex<Member extends { readonly interest: Interest }>() {
  const sets = new Map<string, Set<Member>>();
  const names = new Map<Member, readonly string[]>();

  return {
    add(member: Member): void {
      const own = namesOf(member.interest);
      names.set(member, own);
      for (const name of own) {
        const set = sets.get(name);
        if (set === undefined) sets.set(name, new Set([member]));
        else set.add(member);
      }
    },

    /** No-op for non-members. */
    delete(member: Member): void {
      for (const name of names.get(member) ?? []) {
        const set = sets.get(name);
        set?.delete(member);
        if (set?.size === 0) sets.delete(name);
      }
      names.delete(member);
    },

    /** Yields the members in an audience, in one collection. A member may appear twice. */
    *find(collection: string, audience: string): Generator<Member> {
      yield* sets.get(nameOf('', audience)) ?? [];
      yield* sets.get(nameOf(collection, audience)) ?? [];
    },

    /** Returns all members. */
    members: (): Iterable<Member> => names.keys(),

    get size() {
      return names.size;
    },
  };
}
