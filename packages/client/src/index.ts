export { type Baobab, createClient } from './client.ts';
export { dateOf } from './dates.ts';
export type { Batches, Settled } from './documents/batch.ts';
export {
  addToSet,
  append,
  type FieldChange,
  increment,
  max,
  min,
  type Patch,
  remove,
  removeFrom,
} from './documents/changes.ts';
export type { ChangeOptions, Collection, GetOptions } from './documents/collection.ts';
export type { Principal } from './documents/grants.ts';
export type { NewDocument, Operation, Operations, Versioned } from './documents/operations.ts';
export type { AnyApp, AppTypes, Stored } from './documents/types.ts';
export type { ServiceErrorCode } from './error-codes.ts';
export { BaobabError, type ClientErrorCode, type ErrorCode, type InputProblem, isBaobabError } from './errors.ts';
export type { AssetSize, Assets, AssetUrlOptions } from './files/assets.ts';
export type { FileQueryOptions, Files, FileUrlOptions, ImageSize, UploadOptions } from './files/files.ts';
export type { NativeFile, Progress, UploadSource } from './files/upload.ts';
export type {
  CallOptions,
  ClientOptions,
  Credentials,
  Login,
  PresenceOptions,
  SessionStorage,
  WriteOptions,
} from './options.ts';
export type { Groups } from './people/groups.ts';
export type { Push } from './people/push.ts';
export type { Following, Users } from './people/users.ts';
export type { Criteria } from './query/criteria.ts';
export type {
  LiveCall,
  LiveChange,
  LiveFeature,
  LiveHandlers,
  LiveListener,
  LiveOptions,
  LiveRowOptions,
  LiveState,
} from './query/live.ts';
export type { OrderOptions } from './query/order.ts';
export type { ListOptions, Query, RowList, Scored, SnippetPart, WithSnippet } from './query/query.ts';
export type { Room, RoomHandlers, RoomMember } from './query/room.ts';
export type { Aggregate, Collation, Operator, Param, PathOf, SortOf, ValueAt } from './query/types.ts';
export type { Auth, LoginOptions, NewUser, PasskeyLoginOptions } from './session/auth.ts';
export type { Emails } from './session/emails.ts';
export type { PasskeyResponse, Passkeys } from './session/passkeys.ts';
export type { Proof, SecondFactor } from './session/second-factor.ts';
export type { SessionEvent, SessionListener } from './session/session.ts';
export type { Session } from './session-source.ts';
export type { CountedPage, ResultPage, Rows } from './transport/pages.ts';
export type {
  AccountAccess,
  Asset,
  Device,
  DocumentFields,
  DocumentRef,
  FollowingPolicy,
  Grantees,
  Grants,
  Group,
  GroupInvitation,
  GroupMember,
  GroupRole,
  InvitationOptions,
  InvitedUser,
  ListedGroup,
  ListedInvitation,
  ListedPush,
  NewInvitation,
  NewSecondFactor,
  OpenSession,
  Passkey,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  Profile,
  ProfileSections,
  PushMessage,
  PushState,
  Right,
  SecondFactorState,
  ShownInvitation,
  SocialConnection,
  SocialToken,
  StoredFile,
} from './wire.ts';
