import type { Storage } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import { apiKeysContract } from './api-keys.ts';
import { assetsContract } from './assets.ts';
import { auditStoreContract } from './audit.ts';
import { belongingsContract } from './belongings.ts';
import { changesContract } from './changes.ts';
import { changesForReadersContract } from './changes-for-readers.ts';
import { collectionRemovalsContract } from './collection-removals.ts';
import { collectionRulesContract } from './collection-rules.ts';
import { collectionSchemasContract } from './collection-schemas.ts';
import { collectionsContract } from './collections.ts';
import { documentEditsContract } from './document-edits.ts';
import { documentFilesContract } from './document-files.ts';
import { documentGrantsContract } from './document-grants.ts';
import { documentIdsContract } from './document-ids.ts';
import { documentLocksContract } from './document-locks.ts';
import { documentTotalsContract } from './document-totals.ts';
import { documentsContract } from './documents.ts';
import { emailsContract } from './emails.ts';
import { erasuresContract } from './erasures.ts';
import { challengesContract, factorsContract } from './factors.ts';
import { fastClockContract } from './fast-clock.ts';
import { feedEntriesContract } from './feed-entries.ts';
import { filesContract } from './files.ts';
import { addUser, EVERYTHING, newSession, newUser, uuid } from './fixtures.ts';
import { blocksContract, followRequestsContract } from './follow-consent.ts';
import { followedListsContract } from './followed-lists.ts';
import { formerNamesContract } from './former-names.ts';
import { fullTextContract } from './full-text.ts';
import { groupGrantsContract } from './group-grants.ts';
import { groupInvitationsContract } from './group-invitations.ts';
import { groupRemovalsContract } from './group-removals.ts';
import { groupsContract } from './groups.ts';
import { guestsContract } from './guests.ts';
import { idempotencyContract } from './idempotency.ts';
import { indexesContract } from './indexes.ts';
import { inheritedAccessContract } from './inherited-access.ts';
import { invitationCodesContract } from './invitation-codes.ts';
import { jobsContract } from './jobs.ts';
import { keptDocumentsContract } from './kept-documents.ts';
import { listBytesContract } from './list-bytes.ts';
import { lockoutsContract } from './lockouts.ts';
import { lookUpsContract } from './look-ups.ts';
import { mailsContract } from './mails.ts';
import { manyReadableContract } from './many-readable.ts';
import { outboxContract } from './outbox.ts';
import { passkeysContract } from './passkeys.ts';
import { removalsContract } from './removals.ts';
import { repeatedQueriesContract } from './repeated-queries.ts';
import { sealedContract } from './sealed.ts';
import { devicesContract, sessionsContract } from './sessions.ts';
import {
  followsContract,
  rateLimitsContract,
  resetTokensContract,
  rolesContract,
  settingsContract,
  sweepContract,
} from './small-stores.ts';
import { socialLinksContract } from './social-links.ts';
import { statisticsContract } from './statistics.ts';
import { signalsContract, transactionsContract } from './transactions.ts';
import { uniqueIndexesContract } from './unique-indexes.ts';
import { userRemovalsContract } from './user-removals.ts';
import { usersContract } from './users.ts';
import { visibilityMarksContract } from './visibility-marks.ts';
import { webhookDeliveriesContract } from './webhook-deliveries.ts';
import { webhooksContract } from './webhooks.ts';

/** A migrated, empty storage, and a function that removes it with all its resources. */
export interface OpenedStorage {
  readonly storage: Storage;
  dispose(): Promise<void>;
}

/** Contract of every storage, without exceptions. */
export function storageContract(name: string, open: () => Promise<OpenedStorage>): void {
  describe(`storage contract: ${name}`, PATIENT, () => {
    let opened: OpenedStorage;
    const current = (): Storage => opened.storage;

    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.dispose());

    describe('users', () => usersContract(current));
    describe('former names of users', () => formerNamesContract(current));
    describe('belongings of a user', () => belongingsContract(current));
    describe('sessions', () => sessionsContract(current));
    describe('API keys', () => apiKeysContract(current));
    describe('audit events', () => auditStoreContract(current));
    describe('encrypted values', () => sealedContract(current));
    describe('devices', () => devicesContract(current));
    describe('roles', () => rolesContract(current));
    describe('collections', () => collectionsContract(current));
    describe('removal of collections in parts', () => collectionRemovalsContract(current));
    describe('rules of collections', () => collectionRulesContract(current));
    describe('inherited access', () => inheritedAccessContract(current));
    describe('schemas of collections', () => collectionSchemasContract(current));
    describe('indexes', () => indexesContract(current));
    describe('unique indexes', () => uniqueIndexesContract(current));
    describe('full-text search', () => fullTextContract(current));
    describe('documents', () => documentsContract(current));
    describe('edits of documents', () => documentEditsContract(current));
    describe('own ids of documents', () => documentIdsContract(current));
    describe('totals of documents', () => documentTotalsContract(current));
    describe('all grants of a document', () => documentGrantsContract(current));
    describe('a query that comes again', () => repeatedQueriesContract(current));
    describe('lists of callers with many documents', () => manyReadableContract(current));
    describe('documents in a transaction', () => documentLocksContract(current));
    describe('lists of followed users’ documents', () => followedListsContract(current));
    describe('look-ups of documents and users', () => lookUpsContract(current));
    describe('changes', () => changesContract(current));
    describe('changes for a reader', () => changesForReadersContract(current));
    describe('changes with their audiences', () => feedEntriesContract(current));
    describe('visibility marks', () => visibilityMarksContract(current));
    describe('files', () => filesContract(current));
    describe('files of documents', () => documentFilesContract(current));
    describe('assets', () => assetsContract(current));
    describe('lists limited by bytes', () => listBytesContract(current));
    describe('follows', () => followsContract(current));
    describe('groups', () => groupsContract(current));
    describe('invitations to groups', () => groupInvitationsContract(current));
    describe('codes of invitations', () => invitationCodesContract(current));
    describe('removal of groups in parts', () => groupRemovalsContract(current));
    describe('grants to groups', () => groupGrantsContract(current));
    describe('requests to follow', () => followRequestsContract(current));
    describe('blocks', () => blocksContract(current));
    describe('settings', () => settingsContract(current));
    describe('reset tokens', () => resetTokensContract(current));
    describe('second factors', () => factorsContract(current));
    describe('challenges', () => challengesContract(current));
    describe('passkeys', () => passkeysContract(current));
    describe('guests', () => guestsContract(current));
    describe('erasures', () => erasuresContract(current));
    describe('kept documents', () => keptDocumentsContract(current));
    describe('social links', () => socialLinksContract(current));
    describe('rate limits', () => rateLimitsContract(current));
    describe('lock-outs', () => lockoutsContract(current));
    describe('idempotency keys', () => idempotencyContract(current));
    describe('housekeeping', () => sweepContract(current));
    describe('statistics', () => statisticsContract(current));
    describe('jobs', () => jobsContract(current));
    describe('a clock that was fast', () => fastClockContract(current));
    describe('outbox', () => outboxContract(current));
    describe('mails', () => mailsContract(current));
    describe('e-mail addresses', () => emailsContract(current));
    describe('webhooks', () => webhooksContract(current));
    describe('deliveries of webhooks', () => webhookDeliveriesContract(current));
    describe('transactions', () => transactionsContract(current));
    describe('concurrent removals', () => removalsContract(current));
    describe('removal of a user in parts', () => userRemovalsContract(current));
    describe('signals', () => signalsContract(current));

    it('can be migrated again', async () => {
      const user = await addUser(current(), 'Ann');
      await current().migrate();
      expect(await current().users.find(user.id)).not.toBeNull();
    });

    it('is unavailable once it has been closed', async () => {
      const storage = current();
      await storage.close();
      const user = newUser('Ann');
      const calls = [
        () => storage.health(),
        () => storage.users.add(user),
        () => storage.users.findByKey('ann'),
        () => storage.sessions.add(newSession(user.id)),
        () => storage.sessions.touch('x', 1),
        () => storage.documents.count('books', EVERYTHING, null),
        () => storage.documents.remove({ collection: null, id: uuid() }, EVERYTHING),
        () => storage.collections.list(),
        () => storage.indexes.list({ collection: 'books' }),
        () => storage.indexes.list({ list: 'users' }),
        () => storage.indexes.reconcile(),
        () => storage.transaction(({ users }) => users.add(user)),
        () => storage.announcer.announce({ topic: 'user', key: 'x' }),
        () => storage.migrate(),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'storage.unavailable' });
    });
  });
}
