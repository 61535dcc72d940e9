import { createDatabase, createFolder } from './databases.ts';
import { type Program, startProgram } from './program.ts';

/** Settings of every node. */
export const CLUSTER_SETTINGS = {
  SECRET_KEY: 'k'.repeat(40),
  APP_CODE: 'streams',
  ADMIN_PASSWORD: 'password of the administrator',
  RATE_LIMIT: 'off',
};

/** A service, on as many addresses as it has nodes, and what starts another node on the same database. */
export interface Cluster {
  readonly nodes: Program[];
  start(): Promise<string>;
  close(): Promise<void>;
}

export async function twoNodesOnPostgres(): Promise<Cluster> {
  const database = await createDatabase();
  const nodes: Program[] = [];
  const start = async () => {
    const node = startProgram({ ...CLUSTER_SETTINGS, DATABASE_URL: database.url });
    nodes.push(node);
    return node.ready();
  };
  const close = async () => {
    await Promise.all(nodes.map((node) => node.dispose()));
    await database.drop();
  };
  return { nodes, start, close };
}

/** Two processes that share a port and a file: which of them serves a connection is left to the kernel. */
export async function twoWorkersOnSqlite(): Promise<Cluster> {
  const folder = createFolder();
  const nodes: Program[] = [];
  const start = async () => {
    const [running] = nodes;
    if (running !== undefined) return running.ready();
    const node = startProgram({ ...CLUSTER_SETTINGS, DATA_DIR: folder.path, WORKERS: '2' });
    nodes.push(node);
    const address = await node.ready();
    await node.line('"msg":"all workers serve"');
    return address;
  };
  const close = async () => {
    await Promise.all(nodes.map((node) => node.dispose()));
    folder.remove();
  };
  return { nodes, start, close };
}
