import {
  type AccessScope,
  type Action,
  type FeedPlace,
  type NewDocument,
  NOBODY,
  RIGHTS,
  type Rights,
  type Storage,
} from '@baobab/core';
import { beforeEach } from 'vitest';
import { BEGINNING, now, received } from './feed-reading.ts';
import { accessScopeOfUser, addCollection, addUser, EVERYTHING, NOW, newDocument } from './fixtures.ts';

/** Time of document changes. */
export const SOON = NOW + 1;

export const addressOf = ({ collection, id }: Pick<NewDocument, 'collection' | 'id'>) => ({ collection, id });

export const followerScope = (user: string): AccessScope => ({ ...accessScopeOfUser(user), followed: true });

/**
 * Creates two collections and three users before each test, and returns calls that change documents of the first user.
 */
export function createFeedCase(current: () => Storage) {
  const feed = {
    books: '',
    films: '',
    ann: '',
    bob: '',
    eve: '',
    /** The end of the feed, until the test sets another place. */
    before: BEGINNING as FeedPlace,
    async write(overrides: Partial<NewDocument> = {}): Promise<NewDocument> {
      const document = newDocument(feed.ann, feed.books, overrides);
      await current().documents.add(document);
      return document;
    },
    replace: (document: NewDocument, content: string) =>
      current().documents.replace(addressOf(document), EVERYTHING, {
        content,
        by: NOBODY,
        updated: SOON,
        version: null,
      }),
    remove: (document: NewDocument) => current().documents.remove(addressOf(document), EVERYTHING),
    grantTo: (document: NewDocument, principal: string, rights: Rights = RIGHTS.read) =>
      current().documents.grant(addressOf(document), EVERYTHING, { principal, rights }),
    revokeFrom: (document: NewDocument, principal: string, action: Action = 'read') =>
      current().documents.revoke(addressOf(document), EVERYTHING, { principal, action }),
    /** Returns the changes that a reader receives after `before`. */
    newsFor: (scope: AccessScope, openCollections: readonly string[] = []) =>
      received(current(), scope, { after: feed.before, openCollections }),
  };
  beforeEach(async () => {
    feed.books = await addCollection(current(), 'Books');
    feed.films = await addCollection(current(), 'Films');
    feed.ann = (await addUser(current(), 'Ann')).id;
    feed.bob = (await addUser(current(), 'Bob')).id;
    feed.eve = (await addUser(current(), 'Eve')).id;
    feed.before = await now(current());
  });
  return feed;
}
