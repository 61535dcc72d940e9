import { type Actor, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import { type Hooks, precededBy, type ShowToHooks } from '../hooks/hooks.ts';
import type { OutgoingMail } from '../mail/outgoing.ts';
import { shownName } from '../mail/shown-name.ts';
import { fillHtml, fillText } from '../mail/template.ts';
import { emailAddress, emailKey } from '../names/email-address.ts';
import { typedCode } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { InvitedRole } from '../ports/storage/group-invitations.ts';
import type { OwnGroup, RowPage } from '../ports/storage/groups.ts';
import type { FoundCode, InvitationCode, ListedCode } from '../ports/storage/invitation-codes.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { RateLimiter } from '../protection/limits.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { isUuid, timeOfUuid } from '../wire.ts';
import { announceMembership, checkRoom, idOf, limitReached } from './membership.ts';
import { allow, findGroup, standingOf } from './standing.ts';

/** Maximum number of open codes per group. */
const MAX_CODES = 100;
const CODE = '{code}';

/** A request for a new invitation. */
export interface CodeRequest {
  readonly groupId: string;
  readonly role: InvitedRole;
  /** Recipient of the code, and the only one who can accept; null for anyone. */
  readonly email: string | null;
  /** Number of users who can accept. */
  readonly uses: number;
  /** Lifetime of the code, in seconds. */
  readonly lifetime: number;
  /** Network address of the caller, for rate limits. */
  readonly address: string;
}

export interface NewCode {
  readonly id: string;
  /** Shown only once. */
  readonly code: string;
  /** Page of the app that accepts the code, from the setting `invitation.url`; null without it. */
  readonly url: string | null;
}

/** A code sent by a client, with the client's network address, for rate limits. */
export interface GivenCode {
  readonly code: string;
  readonly address: string;
}

export interface InvitationCodesDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly settings: SettingsReader;
  readonly limiter: RateLimiter;
  readonly outgoingMail: OutgoingMail;
  readonly mailer: Mailer;
  readonly hooks: Hooks;
}

export type InvitationCodes = ReturnType<typeof createInvitationCodes>;

const invalid = () => new AppError('invitation.invalid');

function urlOf(values: SettingValues, code: string): string | null {
  const template = values['invitation.url'];
  return template === '' ? null : template.replace(CODE, code);
}

/** Invitations to groups by code: in a link, in a mail, on paper. */
export function createInvitationCodes(deps: InvitationCodesDeps) {
  const { storage, clock, secrets, settings, limiter, outgoingMail, mailer, hooks } = deps;

  /** Issued codes contain hyphens too. They are left out on both sides. */
  const fingerprintOf = (code: string) => secrets.fingerprint(typedCode(code));

  /** @throws `user.email_invalid`, `mail.unavailable`, `rate.limited` if no mail can be sent to the address */
  async function addressee(actor: Actor, { email: typed, address }: CodeRequest): Promise<string | null> {
    if (typed === null) return null;
    const email = emailAddress(typed);
    if (email === null) throw new AppError('user.email_invalid', { input: '/email' });
    const account = requireUser(actor).id;
    const mailbox = emailKey(email);
    const mails = { 'email/address': address, 'email/account': account, 'email/mailbox': mailbox };
    await limiter.take({ ...mails, 'invitation/mailbox': `${account} ${mailbox}` });
    await mailer.requireSetUp();
    return email;
  }

  async function mail(
    stores: Stores,
    values: SettingValues,
    actor: Actor,
    made: InvitationCode & NewCode & { readonly group: OwnGroup },
  ): Promise<void> {
    if (made.email === null) return;
    const { id: userId, name } = requireUser(actor);
    const filled = {
      code: made.code,
      link: made.url ?? '',
      user_name: shownName(name, made.email),
      group_name: shownName(made.group.name, made.email),
      application_name: values['application.name'],
    };
    await outgoingMail.post(stores, values, {
      userId,
      topic: `group invitation/${made.id}`,
      expires: made.expires,
      to: made.email,
      subject: values['group.invitation.subject'],
      text: fillText(values['group.invitation.template.text'], filled),
      html: fillHtml(values['group.invitation.template.html'], filled),
    });
  }

  /**
   * Finds a valid code, or one that was used up not long ago. Wrong ones count against the limit of the network. @throws `invitation.invalid`, `rate.limited`
   */
  async function find(actor: Actor, { code, address }: GivenCode): Promise<FoundCode> {
    const attempt = { 'invitation/address': address };
    await limiter.take(attempt);
    const viewer = actor.user?.id ?? null;
    const found = await storage.invitationCodes.find(fingerprintOf(code), clock.now(), viewer);
    if (found === null) throw invalid();
    await limiter.giveBack(attempt);
    return found;
  }

  /** @throws `invitation.email_required` if the invitation is for another user */
  async function checkAddressee(stores: Stores, userId: string, { email }: FoundCode): Promise<void> {
    if (email === null || (await stores.emails.ownerOf(emailKey(email))) === userId) return;
    throw new AppError('invitation.email_required');
  }

  /** @throws `invitation.invalid` if the user was removed from the group after the code was made */
  async function refuseRemoved(stores: Stores, userId: string, { id, group }: FoundCode): Promise<void> {
    const removed = await stores.invitationCodes.lastRemoval(group.id, userId);
    if (removed !== null && timeOfUuid(id) <= removed) throw invalid();
  }

  return {
    /**
     * Creates a code, for the owner and managers. Only the owner invites managers. With an address, the code is mailed
     * to it.
     *
     * @throws `auth.required`, `group.not_found`, `access.denied`, `group.limit`, `user.email_invalid`,
     * `mail.unavailable`, `rate.limited`
     */
    async create(actor: Actor, request: CodeRequest): Promise<NewCode> {
      const { id: by } = requireUser(actor);
      const { role, uses, lifetime } = request;
      const groupId = idOf(request.groupId);
      const standing = standingOf(actor, (await findGroup(storage, actor, groupId)).role);
      allow(role === 'manager' ? standing.owns : standing.manages);
      const email = await addressee(actor, request);
      const values = await settings.current();
      return storage.transaction(async (stores) => {
        const now = clock.now();
        const code = secrets.token();
        const made = { id: secrets.uuid(now), groupId, by, role, email, uses, expires: now + lifetime * 1000 };
        await stores.groups.lock(groupId);
        const group = await findGroup(stores, actor, groupId);
        const { owns, manages } = standingOf(actor, group.role);
        allow(role === 'manager' ? owns : manages);
        if ((await stores.invitationCodes.count(groupId, now)) >= MAX_CODES) {
          throw limitReached('codes of one group:', MAX_CODES);
        }
        await stores.invitationCodes.add(made, fingerprintOf(code));
        const shown = { id: made.id, code, url: urlOf(values, code) };
        await mail(stores, values, actor, { ...made, ...shown, group });
        return shown;
      });
    },

    /**
     * Returns a page of the codes of a group, for the owner and managers. @throws `group.not_found`, `access.denied`
     */
    async list(
      actor: Actor,
      { id: given, after, skip, limit }: { readonly id: string } & RowPage,
    ): Promise<{ readonly codes: readonly ListedCode[]; readonly more: boolean }> {
      const group = await findGroup(storage, actor, idOf(given));
      allow(standingOf(actor, group.role).manages);
      const page = { after, skip, limit: limit + 1 };
      const found = await storage.invitationCodes.list(group.id, clock.now(), page);
      return { codes: found.slice(0, limit), more: found.length > limit };
    },

    /** Revokes a code, for the owner and managers. @throws `group.not_found`, `access.denied`, `invitation.invalid` */
    async remove(actor: Actor, { id: given, invitation }: { readonly id: string; readonly invitation: string }) {
      const group = await findGroup(storage, actor, idOf(given));
      allow(standingOf(actor, group.role).manages);
      const isRemoved =
        isUuid(invitation) && (await storage.invitationCodes.remove(group.id, invitation.toLowerCase()));
      if (!isRemoved) throw invalid();
    },

    /** Returns the invitation of a code, also for anonymous callers. @throws `invitation.invalid`, `rate.limited` */
    async read(actor: Actor, given: GivenCode): Promise<FoundCode> {
      const found = await find(actor, given);
      if (found.uses === 0) throw invalid();
      if (actor.user !== null) await refuseRemoved(storage, actor.user.id, found);
      return found;
    },

    /**
     * Makes the caller a member; no-op for members, also if the code is used up. Of concurrent callers, only as many join as the code has uses left.
     *
     * @throws `auth.required`, `invitation.invalid`, `invitation.email_required`, `group.limit`, `rate.limited`
     */
    async accept(actor: Actor, given: GivenCode): Promise<OwnGroup> {
      const { id: userId, name: username } = requireUser(actor);
      const found = await find(actor, given);
      const { id } = found.group;
      const limits = await settings.current();
      const join = (show: ShowToHooks<'group.join'>) => async (stores: Stores) => {
        const joined = clock.now();
        const counts = await stores.groups.lockUser(userId);
        await stores.groups.lock(id);
        const group = await stores.groups.find(id, userId);
        if (counts === null || group === null) throw invalid();
        if (group.role !== null) return group;
        await refuseRemoved(stores, userId, found);
        await checkAddressee(stores, userId, found);
        if (!(await stores.invitationCodes.use(found.id, joined))) throw invalid();
        await checkRoom(stores, { id, counts, counted: true }, limits);
        show({ group: id, username }, actor);
        await stores.groupInvitations.remove(id, userId);
        await stores.groups.setRole(id, userId, found.role, { joined, counted: true });
        await announceMembership(stores, userId, joined);
        return { ...group, role: found.role };
      };
      return precededBy(hooks, 'group.join', (show) => storage.transaction(join(show)));
    },
  };
}
