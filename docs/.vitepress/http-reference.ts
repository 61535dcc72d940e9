import { callOf } from '../../packages/console/src/values/client-code.ts';

/** A generated page. */
export interface Page {
  /** The last part of its address. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly format?: string;
  readonly description?: string;
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description?: string;
  readonly example?: unknown;
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The parts of an OpenAPI description that the pages show. */
export interface OpenApi {
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Every operation takes it: the page on basics explains it. */
const COMMON = 'call_id';
const JSON_TYPE = 'application/json';
const ADDRESS = 'http://localhost:9000';

/** Text outside of code, where the site generator would read tags. */
export const prose = (text: string) =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('');

const cell = (text: string) =>
  prose(text)
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ');

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  if (rows.length === 0) return '';
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return `${lines.join('\n')}\n\n`;
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n\n`;

/** The only values that a schema allows. */
const valuesOf = (schema: Schema) =>
  (schema.enum ?? ('const' in schema ? [schema.const] : [])).map((value) => `\`${JSON.stringify(value)}\``);

/** The texts that are in more than half of the lists. */
function commonOf(lists: ReadonlyArray<readonly string[]>): Set<string> {
  const all = lists.flatMap((list) => [...new Set(list)]);
  return new Set(all.filter((one) => all.filter((other) => other === one).length > lists.length / 2));
}

export function createHttpReference({ tags, paths, components }: OpenApi): { pages(): Page[] } {
  const nameOf = (reference: string) => reference.split('/').at(-1) ?? '';
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (components.schemas[nameOf(schema.$ref)] ?? {});
  const resolveResponse = (response: Response): Response =>
    response.$ref === undefined ? response : (components.responses[nameOf(response.$ref)] ?? {});

  /** The type of a value in words. */
  function typeOf(schema: Schema): string {
    if (schema.$ref !== undefined) return typeOf(resolve(schema));
    const { type, properties, format, items = {}, anyOf, oneOf } = schema;
    const values = valuesOf(schema);
    if (values.length > 0) return values.join(' or ');
    const choices = anyOf ?? oneOf ?? [];
    if (choices.length > 0) return [...new Set(choices.map(typeOf))].join(' or ');
    if (type === 'array') return `array of ${typeOf(items)}`;
    if (format === 'binary') return 'file';
    return [type ?? (properties ? 'object' : 'any')].flat().join(' or ');
  }

  /** The members of an object, with those of all schemas that it combines. */
  function membersOf(schema: Schema): string[][] {
    const { properties = {}, required = [], allOf = [] } = resolve(schema);
    const own = Object.entries(properties).map(([name, member]) => [
      `\`${name}\`${required.includes(name) ? '' : ' (optional)'}`,
      typeOf(member),
      cell(member.description ?? resolve(member).description ?? ''),
    ]);
    return [...allOf.flatMap(membersOf), ...own];
  }

  const parametersText = ({ parameters = [] }: Operation) =>
    table(
      ['Parameter', 'In', 'Type', 'Meaning'],
      parameters
        .filter(({ name }) => name !== COMMON)
        .map(({ name, in: place, required, schema, description = '' }) => [
          `\`${name}\`${required === true ? '' : ' (optional)'}`,
          place,
          typeOf(schema),
          cell(description),
        ]),
    );

  function bodyText({ requestBody }: Operation): string {
    const contents = Object.entries(requestBody?.content ?? {});
    const [first] = contents;
    if (first === undefined) return '';
    const types = contents.map(([type]) => `\`${type}\``).join(' or ');
    const about = resolve(first[1].schema ?? {}).description ?? '';
    const members = table(['Member of the body', 'Type', 'Meaning'], membersOf(first[1].schema ?? {}));
    return `Body: ${types}. ${prose(about)}\n\n${members}`;
  }

  /** The path of a request, with the examples of its parameters. */
  function addressOf({ path, operation: { parameters = [] } }: Endpoint): string {
    const given = (place: string) => parameters.filter((one) => one.in === place);
    const filled = given('path').reduce(
      (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example ?? name))),
      path,
    );
    const search = new URLSearchParams();
    for (const { name, example } of given('query')) {
      for (const value of example === undefined ? [] : [example].flat()) search.append(name, String(value));
    }
    return search.size === 0 ? filled : `${filled}?${search}`;
  }

  function requestText(endpoint: Endpoint): string {
    const { method, operation } = endpoint;
    const contents = operation.requestBody?.content ?? {};
    const path = addressOf(endpoint);
    const example = contents[JSON_TYPE]?.example;
    const body = example === undefined ? null : JSON.stringify(example);
    const call = callOf({ method, path, body });
    const words = [
      `curl -s${method === 'GET' ? '' : ` -X ${method}`} '${ADDRESS}${path}'`,
      `-H 'X-SERVICE-APPCODE: 1234567890'`,
      `-H "X-BB-SESSION: $TOKEN"`,
    ];
    if (body !== null) words.push(`-H 'Content-Type: ${JSON_TYPE}'`, `-d '${body.replaceAll("'", "'\\''")}'`);
    else if (contents['multipart/form-data'] !== undefined) words.push('-F file=@photo.png');
    return (call === null ? '' : block('ts', `await ${call};`)) + block('sh', words.join(' \\\n  '));
  }

  function successText(status: string, response: Response): string {
    const { description = '', content = {} } = resolveResponse(response);
    const { schema, example } = content[JSON_TYPE] ?? {};
    const type = Object.keys(content).find((one) => one !== JSON_TYPE);
    const about = `**${status}** ${cell(description)}${type === undefined ? '' : `, \`${type}\``}\n\n`;
    const data = schema?.properties?.data;
    const rows = data === undefined ? [] : membersOf(resolve(data).items ?? data);
    const members =
      rows.length === 0 ? '' : `::: details Members of \`data\`\n${table(['Member', 'Type', 'Meaning'], rows)}:::\n\n`;
    return about + (example === undefined ? '' : block('json', JSON.stringify(example, null, 2))) + members;
  }

  /** The codes with which an operation fails. */
  function codesOf(response: Response): string[] {
    const schemas = Object.values(resolveResponse(response).content ?? {}).map(({ schema }) => schema ?? {});
    return schemas
      .flatMap(({ allOf = [] }) => allOf.flatMap(({ properties }) => properties?.code?.enum ?? []))
      .map((code) => `\`${String(code)}\``);
  }

  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

  /** The codes of more than half of the operations, which are not repeated in each section. */
  const common = commonOf(endpoints.map(({ operation }) => Object.values(operation.responses).flatMap(codesOf)));

  function endpointText(endpoint: Endpoint): string {
    const { method, path, operation } = endpoint;
    const responses = Object.entries(operation.responses);
    const successes = responses.filter(([status]) => /^[123]/.test(status));
    const failures = responses.flatMap(([status, response]) => {
      const codes = codesOf(response).filter((code) => !common.has(code));
      return codes.length === 0 ? [] : [[status, codes.join(', ')]];
    });
    return [
      `## ${prose(operation.summary)} {#${operation.operationId}}\n\n\`${method} ${path}\`\n\n`,
      operation.description === undefined ? '' : `${prose(operation.description)}\n\n`,
      requestText(endpoint),
      parametersText(operation),
      bodyText(operation),
      ...successes.map(([status, response]) => successText(status, response)),
      table(['Status', 'Codes'], failures),
    ].join('');
  }

  return {
    /** One page for each tag, with one section for each endpoint. */
    pages: () =>
      tags.map(({ name, description }) => {
        const own = endpoints.filter(({ operation }) => operation.tags[0] === name);
        const title = `HTTP: ${name}`;
        const intro = [
          `${prose(description)}. [Basics](/docs/api) explains authentication, lists and the envelope of responses.`,
          '[Errors](/docs/errors) explains the codes; those of almost every call are listed only there.',
          'In the examples, `client` is a [client](/docs/client), and `TOKEN` is the token of a session.',
          'Calls of `client.admin` need a [client for administrators](/docs/client-data#administration).',
        ].join('\n');
        return {
          name: name.replaceAll(' ', '-'),
          title,
          text: `# ${title}\n\n${intro}\n\n${own.map(endpointText).join('')}`,
        };
      }),
  };
}
