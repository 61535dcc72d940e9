import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@baobab/core';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTP_ERRORS } from '../../packages/http/src/errors/http-errors.ts';
import { DOCUMENT_PATH } from '../openapi/generate.ts';
import { createFolder } from '../support/databases.ts';
import { INSIDE } from '../support/leftovers.ts';
import { readDocument } from '../support/markdown.ts';

const CLIENT = join(import.meta.dirname, '../../packages/client/src');

/** Schema of `data` in the response of an operation. */
const answer = (operation: string, status = 200) =>
  `operations['${operation}']['responses'][${status}]['content']['application/json']['data']`;
const body = (operation: string) =>
  `NonNullable<operations['${operation}']['requestBody']>['content']['application/json']`;

/** Types of the client, and what the description says of the same. */
const ANSWERS: readonly (readonly [type: string, described: string])[] = [
  ['Profile', answer('readMe')],
  ['Profile[]', answer('listUsers')],
  ['SignedIn', answer('login')],
  ['SignedUp', answer('signUp', 201)],
  ['DocumentFields', answer('readDocument')],
  ['Change[]', answer('readChanges')],
  ['OpenSession[]', answer('listSessions')],
  ['OpenSession[]', answer('listSessionsAsAdmin')],
  ['AccountAccess', answer('readAccess')],
  ['AccountAccess', answer('readAccessAsAdmin')],
  ['SecuredAccount', answer('secureUser')],
  ['SocialConnection[]', answer('listConnections')],
  ['{ readonly followers: FollowingPolicy | null }', answer('readFollowingPolicy')],
  ['Group', answer('createGroup', 201)],
  ['Group[]', answer('listGroups')],
  ['{ readonly members: readonly GroupMember[] }', answer('readGroup')],
  ['GroupMember', answer('setGroupMember')],
  ['ListedGroup[]', answer('listAllGroups')],
  ['StoredFile', answer('storeFile', 201)],
  ['StoredFile[]', answer('listFiles')],
  ['Asset', answer('createAsset', 201)],
  ['BackupState', answer('readBackups')],
  ['Asset', answer('readAssetData')],
  ['PushState', answer('sendPush')],
  ['PushState', answer('readPush')],
  ['SignedIn', answer('loginSecond')],
  ['SignedIn', answer('loginWithCode')],
  ['SignedIn', answer('loginWithPasskey')],
  ['{ challenge: string }', answer('requestLoginCode')],
  ['Passkey[]', answer('listPasskeys')],
  ['Passkey', answer('registerPasskey', 201)],
  ['PasskeyCreationOptions', answer('preparePasskey')],
  ['PasskeyRequestOptions', answer('preparePasskeyLogin')],
  ['ApiKeyWithText', answer('createApiKey', 201)],
  ['ApiKey[]', answer('listApiKeys')],
  ['AuditEntry[]', answer('listAuditEvents')],
  ['AccessList', answer('listAccess')],
  ['SecondFactorState', answer('readTotp')],
  ['NewSecondFactor', answer('prepareTotp')],
  ['{ readonly recovery_codes: string[] }', answer('confirmTotp')],
  ['WebhookWithSecret', answer('createWebhook', 201)],
  ['WebhookWithSecret', answer('rotateWebhookSecret')],
  ['Webhook', answer('readWebhook')],
  ['Webhook[]', answer('listWebhooks')],
  ['WebhookDelivery', answer('testWebhook')],
  ['WebhookDelivery[]', answer('listWebhookDeliveries')],
  ['Role[]', answer('listRoles')],
  ['CollectionInfo[]', answer('listCollections')],
  ['Rules', answer('readRules')],
  ['Rules | Violations', answer('changeRules')],
  ['RuleTest', answer('testRules')],
  ['Violations', answer('changeSchema')],
  ['IndexInfo', answer('readIndex')],
  ['IndexInfo[]', answer('listIndexes')],
  ['IndexInfo', answer('readIndexOn')],
  ['IndexInfo[]', answer('listIndexesOn')],
  ['IndexAdvice', answer('adviseIndexes')],
  ['SearchInfo', answer('setSearchIndex')],
  ['SearchInfo | null', answer('readSearchIndex')],
  ['Setting[]', answer('readSection')],
  ['SettingsSection[]', answer('dumpSettings')],
  ['Statistics', answer('readStatistics')],
  ['EnvironmentVariable[]', answer('readEnvironment')],
  ['ServiceCheck[]', answer('readChecks')],
  ['Traffic', answer('readTraffic')],
  ['Belongings', answer('readBelongings')],
];

const BODIES: readonly (readonly [type: string, described: string])[] = [
  ['ProfileSections', body('updateMe')],
  ['Credentials & ProfileSections', body('signUp')],
  ['Credentials & { login_data: Device }', body('login')],
  ['SocialToken', body('linkSocialNetwork')],
  ['PushMessage & { users: string[] }', body('sendPush')],
  ['PushMessage', body('sendPushToUser')],
  ['Grants', body('setDocumentGrants')],
  ['Partial<Rules>', body('changeRules')],
  ['{ challenge: string; client?: string } & ({ code: string } | { recovery_code: string })', body('loginSecond')],
  ['NewApiKey & { current_password?: string }', body('createApiKey')],
  ['{ email: string; current_password?: string }', body('claimEmail')],
  ['{ code: string; client?: string }', body('confirmSignUpEmail')],
  ['{ password: string; email?: string; client?: string }', body('resendSignUpEmail')],
  ['{ username: string } | { email: string }', body('requestLoginCode')],
  ['{ challenge: string; code: string; client?: string; login_data: Device }', body('loginWithCode')],
  ['NewWebhook & { current_password?: string }', body('createWebhook')],
  ['WebhookChange & { current_password?: string }', body('changeWebhook')],
  ['{ role: GroupRole }', body('setGroupMember')],
];

/** Arrays of the generated types can be written to. */
const HEAD = `import type { operations } from './api.ts';
import type * as wire from './wire.ts';
import type * as admin from './admin-wire.ts';
type Mutable<T> = T extends (...args: never) => unknown ? T : { -readonly [K in keyof T]: Mutable<T[K]> };
type Fits<A, B extends A> = B;
`;

describe('the types of the client', () => {
  // Inside the project, so that its compiler options and modules are found.
  const { path: folder, remove } = createFolder(INSIDE);
  let problems: string[] = [];

  const namesIn = (file: string) =>
    Array.from(
      readFileSync(join(CLIENT, file), 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm),
      ([, name]) => name,
    );

  beforeAll(async () => {
    writeFileSync(join(folder, 'api.ts'), astToString(await openapiTypescript(readDocument(DOCUMENT_PATH))));
    for (const file of ['wire.ts', 'admin-wire.ts', 'admin-access-wire.ts', 'admin-rules-wire.ts']) {
      writeFileSync(join(folder, file), readFileSync(join(CLIENT, file), 'utf8'));
    }
    const names = [
      ...namesIn('wire.ts').map((name) => `type ${name} = wire.${name};`),
      ...['admin-wire.ts', 'admin-access-wire.ts', 'admin-rules-wire.ts']
        .flatMap(namesIn)
        .map((name) => `type ${name} = admin.${name};`),
      'type Credentials = { username: string; password: string };',
    ];
    const checks = [
      ...ANSWERS.map(([type, described], at) => `export type Answer${at} = Fits<${type}, ${described}>;`),
      ...BODIES.map(([type, described], at) => `export type Body${at} = Fits<${described}, Mutable<${type}>>;`),
      // It has to be able to fail.
      `export type Control = Fits<Group, ${answer('readMe')}>;`,
    ];
    const file = join(folder, 'check.ts');
    writeFileSync(file, `${HEAD}${names.join('\n')}\n${checks.join('\n')}\n`);
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      allowImportingTsExtensions: true,
      module: ts.ModuleKind.NodeNext,
    });
    const text = readFileSync(file, 'utf8').split('\n');
    problems = ts.getPreEmitDiagnostics(program).map(({ file: found, start = 0, messageText }) => {
      const line = found?.getLineAndCharacterOfPosition(start).line ?? 0;
      return `${text[line]}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });
  afterAll(remove);

  it('are what the OpenAPI description says', () => {
    const [control = '', ...others] = problems.toReversed();
    expect(control).toMatch(/^export type Control/);
    expect(others).toEqual([]);
  });

  it('name the codes of the catalogue', () => {
    const named = Array.from(
      readFileSync(join(CLIENT, 'error-codes.ts'), 'utf8').matchAll(/'([^']+)'/g),
      ([, code]) => code,
    );
    expect(named).toEqual([...Object.keys(ERRORS), ...Object.keys(HTTP_ERRORS)].sort());
  });
});
