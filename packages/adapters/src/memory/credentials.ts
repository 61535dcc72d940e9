import {
  type ApiKey,
  type ApiKeyStore,
  type ApiKeyWithOwner,
  AppError,
  type ChallengeStore,
  type EmailStore,
  type FactorStore,
  type PasskeyStore,
  type ResetTokenStore,
  type SocialLinkStore,
} from '@baobab/core';
import type { State } from './state.ts';
import type { Immediate } from './tables.ts';

interface Expiring {
  readonly expires: number;
}

/** Returns the row unless it is missing or has expired. */
const current = <Row extends Expiring>(row: Row | null, now: number) =>
  row !== null && row.expires > now ? row : null;

export function createResetTokenStore({ resetTokens }: State): Immediate<ResetTokenStore> {
  const find = (digest: string, now: number) => current(resetTokens.first({ digest }), now)?.userId ?? null;
  return {
    put: resetTokens.set,
    find,
    consume(digest, now) {
      const userId = find(digest, now);
      if (userId !== null) resetTokens.delete(userId);
      return userId;
    },
    removeOfUser: (userId) => void resetTokens.delete(userId),
  };
}

export const hasSecondFactor = ({ totpSecrets }: State, userId: string) =>
  (totpSecrets.get(userId)?.confirmed ?? null) !== null;

export function createFactorStore(state: State): Immediate<FactorStore> {
  const { totpSecrets, recoveryCodes } = state;
  return {
    prepare(userId, sealed) {
      if (hasSecondFactor(state, userId)) return false;
      totpSecrets.set({ userId, sealed, confirmed: null, lastStep: 0 });
      return true;
    },
    find(userId) {
      const row = totpSecrets.get(userId);
      return row && { sealed: row.sealed, confirmed: row.confirmed };
    },
    confirm({ userId, sealed, step, now, recoveryCodes: digests }) {
      const row = totpSecrets.get(userId);
      if (row?.sealed !== sealed || row.confirmed !== null) return false;
      totpSecrets.set({ userId, sealed, confirmed: now, lastStep: step });
      for (const digest of digests) recoveryCodes.set({ userId, digest });
      return true;
    },
    useStep({ userId, sealed, step }) {
      const row = totpSecrets.get(userId);
      if (row?.sealed !== sealed || row.confirmed === null || row.lastStep >= step) return false;
      totpSecrets.set({ ...row, lastStep: step });
      return true;
    },
    useRecoveryCode: recoveryCodes.delete,
    recoveryCodes: (userId) => recoveryCodes.where({ userId }).map(({ digest }) => digest),
    remove(userId) {
      const wasOn = hasSecondFactor(state, userId);
      recoveryCodes.remove({ userId });
      totpSecrets.delete(userId);
      return wasOn;
    },
  };
}

export function createChallengeStore({ challenges }: State): Immediate<ChallengeStore> {
  return {
    add: (challenge) => challenges.set({ ...challenge, attempts: 0 }),
    attempt(digest, now, most) {
      const row = current(challenges.get(digest), now);
      if (row === null || row.attempts >= most) return null;
      const { attempts, ...challenge } = row;
      challenges.set({ ...row, attempts: attempts + 1 });
      return challenge;
    },
    spend(challenge) {
      if (challenges.has(challenge.digest)) return false;
      challenges.set({ ...challenge, sealed: '', attempts: 0 });
      return true;
    },
    consume: challenges.delete,
  };
}

export function createPasskeyStore({ passkeys }: State): Immediate<PasskeyStore> {
  const isOwn = (userId: string, id: string) => passkeys.get(id)?.userId === userId;
  return {
    add(passkey) {
      if (passkeys.first({ credential: passkey.credential }) !== null) return false;
      passkeys.set({ ...passkey, transports: [...passkey.transports], lastUsed: null });
      return true;
    },
    find: (credential) => passkeys.first({ credential }),
    list: (userId) => passkeys.where({ userId }).sort((a, b) => a.created - b.created),
    use({ id, counter, at }) {
      const row = passkeys.get(id);
      if (row === null) return false;
      const isNewer = counter > row.counter || (counter === 0 && row.counter === 0);
      if (isNewer) passkeys.set({ ...row, counter, lastUsed: Math.max(at, row.lastUsed ?? 0) });
      return isNewer;
    },
    rename: (userId, id, name) => isOwn(userId, id) && passkeys.update(id, { name }) !== null,
    remove: (userId, id) => isOwn(userId, id) && passkeys.delete(id),
    removeOfUser: (userId) => passkeys.remove({ userId }).length,
  };
}

export function createApiKeyStore({ apiKeys, users, roles }: State): Immediate<ApiKeyStore> {
  const toKey = ({ digest: _digest, ...key }: ReturnType<typeof apiKeys.all>[number]): ApiKey => key;

  function withOwner(row: Parameters<typeof toKey>[0] | null): ApiKeyWithOwner | null {
    const owner = row && users.get(row.ownerId);
    if (row === null || owner === null) return null;
    const { id, name, role, status } = owner;
    return { ...toKey(row), owner: { id, name, role, status } };
  }

  return {
    add(key, most) {
      if (apiKeys.all().length >= most) return false;
      if (roles.get(key.role.toLowerCase())?.name !== key.role) throw new AppError('role.not_found');
      apiKeys.set({ ...key, lastUsed: null });
      return true;
    },
    find: (id) => withOwner(apiKeys.get(id)),
    findByDigest: (digest) => withOwner(apiKeys.first({ digest })),
    list: () => apiKeys.all().flatMap((row) => withOwner(row) ?? []),
    touch({ id, at, since }) {
      const row = apiKeys.get(id);
      if (row !== null && (row.lastUsed ?? 0) <= since) apiKeys.set({ ...row, lastUsed: at });
    },
    remove: (id) => apiKeys.remove({ id }).map(toKey)[0] ?? null,
  };
}

export function createSocialLinkStore({ socialLinks }: State): Immediate<SocialLinkStore> {
  return {
    find: socialLinks.get,
    // Sorted by network, since keys begin with it.
    list: (userId) => socialLinks.where({ userId }),
    put(link) {
      const { network, personId, userId } = link;
      const holder = socialLinks.get(network, personId);
      if (holder !== null && holder.userId !== userId) return false;
      socialLinks.remove({ userId, network });
      socialLinks.set(link);
      return true;
    },
    remove: (userId, network) => socialLinks.remove({ userId, network }).length > 0,
  };
}

export function createEmailStore({ emailClaims, verifiedEmails, users }: State): Immediate<EmailStore> {
  const withToken = (token: string, now: number) => current(emailClaims.first({ token }), now);

  return {
    claim: (claim) => emailClaims.set({ ...claim, attempts: 0 }),
    attempt(userId, now, most) {
      const row = current(emailClaims.get(userId), now);
      if (row === null || row.attempts >= most) return null;
      const { attempts, ...claim } = row;
      emailClaims.set({ ...row, attempts: attempts + 1 });
      return claim;
    },
    find(token, now) {
      const row = withToken(token, now);
      if (row === null) return null;
      const { attempts: _attempts, ...claim } = row;
      return claim;
    },
    consume(token, now) {
      const row = withToken(token, now);
      return row !== null && emailClaims.delete(row.userId);
    },
    verify(userId, key) {
      const owner = verifiedEmails.get(key)?.userId ?? userId;
      if (owner !== userId) return false;
      verifiedEmails.remove({ userId });
      verifiedEmails.set({ key, userId });
      users.update(userId, { emailVerified: true, awaitsEmail: false });
      return true;
    },
    waive: (userId) => void users.update(userId, { awaitsEmail: false }),
    release(userId, at) {
      verifiedEmails.remove({ userId });
      users.update(userId, { emailVerified: false, emailChanged: at });
    },
    changed: (userId) => users.get(userId)?.emailChanged ?? null,
    withdraw: (userId) => void emailClaims.delete(userId),
    ownerOf: (key) => verifiedEmails.get(key)?.userId ?? null,
  };
}
