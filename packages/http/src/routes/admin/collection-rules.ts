import {
  type CollectionRuleAdmin,
  isJsonObject,
  type ParsedJson,
  type RuleTests,
  type RuleViolations,
} from '@baobab/core';
import { Type } from 'typebox';
import { jsonBody } from '../../requests/bodies.ts';
import { presenceOf } from '../../requests/presence.ts';
import { sendData } from '../../responses/envelope.ts';
import { CurrentPassword, OptionalText } from '../../schemas/common.ts';
import { AnyJson } from '../../schemas/documents.ts';
import { ON_ADMINISTRATOR, ON_JSON } from '../../schemas/failing.ts';
import { Violations } from '../../schemas/violations.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('collections');

const expression = (description: string) => Type.Optional(Type.String({ description }));
const rule = (description: string) =>
  Type.Array(
    Type.Union([
      Type.String({ description: 'A role: on all documents' }),
      Type.Object(
        { role: Type.String(), if: Type.String({ description: 'A filter, which may also name the caller' }) },
        { additionalProperties: false },
      ),
    ]),
    { description },
  );
const need = (action: string) =>
  Type.Union([Type.Literal('read'), Type.Literal('update'), Type.Literal('delete'), Type.Literal('all'), Type.Null()], {
    description: `The right on the parent that allows to ${action} its children; null if it is not inherited`,
  });
const Parent = Type.Object(
  {
    field: Type.String({ description: 'The path of the field with the id of the parent' }),
    collection: Type.Union([Type.String(), Type.Null()], {
      description: 'The collection of the parents; null for any',
    }),
    create: need('create'),
    read: need('read'),
    update: need('update'),
    delete: need('delete'),
    onDelete: Type.Union([Type.Literal('cascade'), Type.Literal('restrict'), Type.Literal('detach')], {
      description: 'Treatment of the children of a removed parent',
    }),
  },
  { additionalProperties: false },
);
const perCheck = (description: string, of: string) =>
  Type.Object(
    { create: expression(`${of} creating`), update: expression(`${of} changes`), delete: expression(`${of} deleting`) },
    { additionalProperties: false, description },
  );
const lists = {
  create: rule('Roles that may create documents'),
  read: rule('Roles that may read documents, in addition to grants'),
  update: rule('Roles that may update documents, in addition to grants'),
  delete: rule('Roles that may delete documents, in addition to grants'),
};
const checks = {
  check: perCheck('Expressions that writes must satisfy', 'For'),
  messages: perCheck('Messages of refused writes', 'Message of the check for'),
};
const Rules = Type.Object({ ...lists, parent: Type.Union([Parent, Type.Null()]), ...checks }, { title: 'Rules' });
const RulesChange = Type.Partial(
  Type.Object({
    ...lists,
    parent: Type.Union([
      Type.String({ description: 'True for the usual inheritance through this field' }),
      Type.Intersect([Type.Object({ field: Type.String() }), Type.Partial(Parent)]),
      Type.Null(),
    ]),
    ...checks,
    current_password: CurrentPassword,
  }),
  { additionalProperties: false, title: 'RulesChange' },
);

/** Returns a body without the password by which an administrator proves to be present. */
function withoutPassword(json: ParsedJson): ParsedJson {
  if (!isJsonObject(json.value)) return json;
  const { current_password: _password, ...value } = json.value;
  return { ...json, value };
}

const ACTIONS = ['create', 'read', 'update', 'delete'] as const;
const oneOf = (names: readonly string[]) => Type.Union(names.map((name) => Type.Literal(name)));
const TestRequest = Type.Object(
  {
    user: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'The name of a user; null for an anonymous caller' }),
    ),
    action: oneOf(ACTIONS),
    document: Type.Optional(Type.String({ description: 'The id of the document; absent to create one' })),
    content: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description: 'The content to write; for updates the default is the current content',
      }),
    ),
  },
  { additionalProperties: false, title: 'RuleTestRequest' },
);
const Reason = Type.Object(
  {
    kind: oneOf(['privileged', 'author', 'grant', 'follower', 'rule', 'parent', 'check', 'missing', 'error']),
    text: Type.String({ description: 'The reason as a sentence' }),
    right: oneOf([...ACTIONS, 'all']),
    document: Type.Union([Type.String(), Type.Null()], {
      description: 'The id of the document that the reason concerns; null for a document to be created',
    }),
    collection: Type.String(),
    to: Type.Optional(
      Type.Object(
        { kind: oneOf(['user', 'role', 'group']), name: Type.String() },
        { description: 'The recipient of a grant; a group has its id as the name' },
      ),
    ),
    role: Type.Optional(Type.String({ description: 'The role of a rule' })),
    expression: Type.Optional(Type.String({ description: 'The condition of a rule, or a check' })),
    code: Type.Optional(Type.String({ description: 'The error code of the refusal' })),
  },
  { title: 'RuleReason' },
);
const RuleTest = Type.Object(
  {
    allowed: Type.Boolean(),
    because: Type.Array(Reason, {
      description: 'All sources of the permission, each followed by its parents; or the reason for the refusal',
    }),
  },
  { title: 'RuleTest' },
);

export const collectionRuleRoutes: Routes<{
  collectionRules: CollectionRuleAdmin;
  ruleTests: RuleTests;
  ruleViolations: RuleViolations;
}> = async (app, { collectionRules, ruleTests, ruleViolations }) => {
  app.get(
    '/admin/collection/:name/rules',
    operation('readRules', 'Read the rules of a collection', { data: Rules, fails: ['collection.not_found'] }),
    async ({ actor, params }, reply) => sendData(reply, await collectionRules.read(actor, params.name)),
  );

  app.put(
    '/admin/collection/:name/rules',
    operation('changeRules', 'Change rules of a collection; absent rules do not change', {
      description: 'A change that can give users more permissions needs a fresh login or the password.',
      querystring: Type.Object({
        dry: OptionalText('`true`: changes nothing, and returns the stored documents that violate the checks'),
      }),
      body: AnyJson,
      data: Type.Union([Rules, Violations]),
      fails: [
        'collection.not_found',
        'criteria.invalid',
        'grant.role_unknown',
        'index.path_invalid',
        'index.too_many',
        'input.array_expected',
        'rule.unsupported',
        ...ON_JSON,
        ...ON_ADMINISTRATOR,
      ],
      describes: { body: { 'application/json': RulesChange } },
    }),
    async (request, reply) => {
      const { actor, params, query } = request;
      const change = { name: params.name, body: withoutPassword(jsonBody(request)) };
      if (query.dry === 'true') return sendData(reply, await ruleViolations(actor, change));
      return sendData(reply, await collectionRules.change(actor, { ...change, presence: presenceOf(request) }));
    },
  );

  app.post(
    '/admin/collection/:name/rules/test',
    operation('testRules', 'Test a user’s permission and explain the result', {
      body: AnyJson,
      data: RuleTest,
      fails: ['collection.not_found', 'document.not_found', 'user.not_found', ...ON_JSON],
      describes: { body: { 'application/json': TestRequest } },
    }),
    async (request, reply) => {
      const { actor, params } = request;
      return sendData(reply, await ruleTests.test(actor, { name: params.name, body: jsonBody(request) }));
    },
  );
};
