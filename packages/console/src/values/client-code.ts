import type { SentRequest } from '../requests.ts';
import { CLIENT_ROUTES } from './client-routes.ts';

/** Returns a value as JavaScript, of which JSON is a subset. */
const literal = (value: unknown): string => JSON.stringify(value) ?? 'undefined';

interface Matched {
  readonly call: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** Returns the parts of a path by their names in the route; null if the route does not match. */
function partsOf(route: string, path: string): Record<string, string> | null {
  const [names, values] = [route.split('/'), path.split('/')];
  if (names.length !== values.length) return null;
  const parts: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = values[index] ?? '';
    if (name.startsWith(':')) parts[name.slice(1)] = decodeURIComponent(value);
    else if (name !== value) return null;
  }
  return parts;
}

/** Returns the call for a request. Routes with fewer parameters are tried first. */
function match(method: string, path: string): Matched | null {
  const routes = Object.entries(CLIENT_ROUTES).sort(([a], [b]) => a.split(':').length - b.split(':').length);
  for (const [key, call] of routes) {
    const [of, route = ''] = key.split(' ');
    const parts = of === method ? partsOf(route, path) : null;
    if (parts !== null) return { call, parts };
  }
  return null;
}

function conditionOf(query: URLSearchParams): string {
  const where = query.get('where');
  return where === null ? '' : `.whereUnchecked(${[where, ...query.getAll('params')].map(literal).join(', ')})`;
}

/** Returns the calls for the order of a list, such as `title desc, id asc`. */
function orderOf(query: URLSearchParams): string {
  const orders = (query.get('orderBy') ?? '').split(',').filter((order) => order.trim() !== '');
  return orders
    .map((order) => {
      const [, path = '', direction = 'asc'] = /^(.*?)(?: (asc|desc))?$/.exec(order.trim()) ?? [];
      // The client quotes every name.
      return `.orderBy(${literal(path.replace(/`([A-Za-z_]\w*)`/g, '$1'))}, ${literal(direction)})`;
    })
    .join('');
}

function listOf(query: URLSearchParams): string {
  const rows = query.get('recordsPerPage');
  const cursor = query.get('cursor');
  const size = rows === null ? '' : `.pageSize(${Number(rows)})`;
  return `${conditionOf(query)}${orderOf(query)}${size}.page(${cursor === null ? '' : literal(cursor)})`;
}

const PAGING = ['recordsPerPage', 'cursor'];

/** Returns the parameters of a list that accepts them as options. */
const filterOf = (query: URLSearchParams) =>
  literal(Object.fromEntries([...query].filter(([name]) => !PAGING.includes(name))));

function pageOf(query: URLSearchParams): string {
  const cursor = query.get('cursor');
  return `.page(${cursor === null ? '' : literal(cursor)})`;
}

type Body = Readonly<Record<string, unknown>> | null;

function bodyOf(text: string | null): Body {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Body) : null;
  } catch {
    return null;
  }
}

/** An absent member is omitted from the arguments. */
function bodyText(body: Body, member: string | undefined): string {
  return member === undefined ? literal(body ?? {}) : literal(body?.[member]);
}

const VERSION = '@version';

const contentText = (body: Body) =>
  literal(Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => name !== VERSION)));

const versionText = (body: Body) => (body?.[VERSION] === undefined ? '' : `, { version: ${literal(body[VERSION])} }`);

/** Returns the client call that sends a request; null if there is none. */
export function callOf({ method, path, body: text }: SentRequest): string | null {
  const [pathname = '', queryText = ''] = path.split(/\?(.*)/s);
  const matched = match(method, pathname);
  if (matched === null) return null;
  const query = new URLSearchParams(queryText);
  const body = bodyOf(text);
  const texts: Readonly<Record<string, () => string>> = {
    list: () => listOf(query),
    filter: () => filterOf(query),
    numbers: () =>
      literal(Object.fromEntries([...query].map(([name, value]) => [name, name === 'limit' ? Number(value) : value]))),
    page: () => pageOf(query),
    condition: () => conditionOf(query),
    rules: () => (query.get('dry') === 'true' ? 'ruleViolations' : 'setRules'),
    dry: () => (query.get('dry') === 'true' ? ', { dry: true }' : ''),
    batch: () => (body?.atomic === true ? 'batch' : 'batchSettled'),
    content: () => contentText(body),
    version: () => versionText(body),
  };
  return matched.call.replace(/\{(=?)(\w+)(?:\.(\w+))?\}/g, (_, raw: string, name: string, member?: string) => {
    if (name === 'body') return bodyText(body, member);
    const part = matched.parts[name];
    if (part !== undefined) return raw === '=' ? part : literal(part);
    return texts[name]?.() ?? '';
  });
}

interface SignIn {
  readonly url: string;
  readonly appCode: string;
  readonly username: string;
}

/** Returns a module that sends a request with the client; null if the client has no call for it. */
export function clientCodeOf(request: SentRequest, { url, appCode, username }: SignIn): string | null {
  const call = callOf(request);
  if (call === null) return null;
  const [create, module] = call.startsWith('client.admin.')
    ? ['createAdminClient', '@baobab/client/admin']
    : ['createClient', '@baobab/client'];
  return [
    `import { ${create} } from '${module}';`,
    '',
    `const client = ${create}({ url: ${literal(url)}, appCode: ${literal(appCode)} });`,
    `await client.auth.login({ username: ${literal(username)}, password: '…' });`,
    `console.log(await ${call});`,
  ].join('\n');
}
