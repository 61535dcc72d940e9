import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Viewer } from './checks.ts';
import { type Client, createClient } from './client.ts';
import { createNode, type Node } from './node.ts';

/** A server with sessions that never expire. Its nodes share a database and a folder of blobs. */
export interface Place {
  readonly client: Client;
  /** `DATA_DIR` of all nodes. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly nodes: readonly Node[];
  /** Returns a viewer on a running node, selected by this number. */
  viewer(turn?: number): Viewer;
  /** Name of the user whom documents are shared with. */
  readonly reader: string;
  /** Password of all users. */
  readonly password: string;
  stop(): Promise<void>;
}

export interface PlaceOptions {
  /** Null: SQLite in the folder of the place. */
  readonly databaseUrl: string | null;
  readonly nodes: number;
  /** Additional variables. @param root a folder outside the data, deleted together with the place */
  readonly variables?: (root: string, folder: string) => Readonly<Record<string, string>>;
}

const APP_CODE = 'prove';
const PASSWORD = 'a password';
const READER = 'reader';

async function signIn(client: Client, address: string, path: string, username: string): Promise<string> {
  const { body } = await client.expect('POST', address + path, { body: { username, password: PASSWORD } });
  return body.data['X-BB-SESSION'];
}

async function signInAll(client: Client, address: string) {
  const admin = await signIn(client, address, '/login', 'admin');
  const setting = `${address}/admin/configuration/Application/session_tokens.timeout`;
  await client.expect('PUT', setting, { token: admin, body: { value: '0' } });
  const writer = await signIn(client, address, '/user', 'writer');
  return { admin, writer, reader: await signIn(client, address, '/user', READER) };
}

export async function openPlace({ databaseUrl, nodes: count, variables }: PlaceOptions): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), 'baobab-prove-'));
  const folder = join(root, 'data');
  mkdirSync(folder, { mode: 0o700 });
  const environment = {
    APP_CODE,
    ADMIN_PASSWORD: PASSWORD,
    SECRET_KEY: 'k'.repeat(32),
    RATE_LIMIT: 'off',
    CONSOLE: 'off',
    DATA_DIR: folder,
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    ...variables?.(root, folder),
  };
  const client = createClient(APP_CODE);
  const nodes: Node[] = [];
  async function stop(): Promise<void> {
    client.close();
    for (const node of nodes) await node.kill();
    rmSync(root, { recursive: true, force: true });
  }
  try {
    for (let i = 0; i < count; i++) {
      const node = await createNode(environment);
      nodes.push(node);
      await node.start();
    }
    const sessions = await signInAll(client, nodes[0]?.url ?? '');
    return {
      client,
      folder,
      databaseUrl: databaseUrl ?? `sqlite:${join(folder, 'baobab.db')}`,
      nodes,
      viewer(turn = 0) {
        const up = nodes.filter((node) => node.isUp());
        return { client, address: up[turn % up.length]?.url ?? '', ...sessions };
      },
      reader: READER,
      password: PASSWORD,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
