import { type Actor, ROLES } from '@baobab/core';
import { adapters } from '../composition/adapters.ts';
import { type Backend, compose } from '../composition/compose.ts';
import { parseConfig } from '../config.ts';
import { loadSecretKey } from '../secret-key.ts';
import type { CommandDeps } from './deps.ts';
import { readPassword } from './password.ts';

/** Anyone who can run the program on the database may do everything. */
export const OPERATOR: Actor = {
  user: { id: 'operator', name: 'operator', role: ROLES.administrator },
  sessionId: null,
  isAdmin: true,
  isPrivileged: true,
  principals: [],
};

async function withBackend<T>({ env, logger }: CommandDeps, work: (backend: Backend) => Promise<T>): Promise<T> {
  const config = parseConfig(env);
  const backend = compose(
    adapters({
      database: config.database,
      blobs: config.blobs,
      secretKey: config.secretKey ?? loadSecretKey(config.dataDir),
      publicUrl: config.publicUrl ?? '',
      logger,
    }),
  );
  try {
    await backend.migrate();
    return await work(backend);
  } finally {
    await backend.dispose();
  }
}

export async function createUser(deps: CommandDeps, username: string, role: string | undefined): Promise<void> {
  const password = await readPassword();
  await withBackend(deps, async ({ services }) => {
    const creation = { username, password, role: role ?? null, sections: {} };
    const user = await services.userAdmin.create(OPERATOR, creation);
    deps.output.result(`User ${user.name} created with the role ${user.role}`, {
      username: user.name,
      role: user.role,
    });
  });
}

export async function setPassword(deps: CommandDeps, username: string): Promise<void> {
  const password = await readPassword();
  await withBackend(deps, async ({ services }) => {
    await services.userAdmin.setPassword(OPERATOR, username, password);
    deps.output.result(`Password of ${username} changed; all sessions of that user have ended`, { username });
  });
}

export async function setRole(deps: CommandDeps, username: string, role: string): Promise<void> {
  await withBackend(deps, async ({ services }) => {
    const change = { username: null, role, sections: {} };
    const user = await services.userAdmin.update(OPERATOR, username, change);
    deps.output.result(`User ${user.name} has the role ${user.role}`, { username: user.name, role: user.role });
  });
}
