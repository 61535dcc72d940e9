import { withBackend } from '../composition/backend.ts';
import type { Backend } from '../composition/compose.ts';
import { OPERATOR, OPERATOR_PRESENCE } from '../composition/operator.ts';
import { parseConfig } from '../config.ts';
import { warnOfExtensions } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { readPassword } from './password.ts';

/** Runs `work` on a migrated database, so that accounts can be created before the first start. */
const withAccounts = (deps: CommandDeps, work: (services: Backend) => Promise<void>) =>
  withBackend(parseConfig(deps.env), deps, async (backend) => {
    await backend.migrate();
    await work(backend);
  });

export async function createUser(deps: CommandDeps, username: string, role: string | undefined): Promise<void> {
  warnOfExtensions(deps, 'no hook and no handler of user.create runs');
  const password = await readPassword(deps.host);
  await withAccounts(deps, async (services) => {
    const creation = { username, password, role: role ?? null, sections: {}, presence: OPERATOR_PRESENCE };
    const user = await services.userAdmin.create(OPERATOR, creation);
    deps.output.result(`User ${user.name} created with the role ${user.role}`, {
      username: user.name,
      role: user.role,
    });
  });
}

export async function setPassword(deps: CommandDeps, username: string): Promise<void> {
  const password = await readPassword(deps.host);
  await withAccounts(deps, async (services) => {
    await services.userAdmin.setPassword(OPERATOR, username, { password, presence: OPERATOR_PRESENCE });
    deps.output.result(`Password of ${username} changed; all sessions of that user have ended`, { username });
  });
}

export async function setRole(deps: CommandDeps, username: string, role: string): Promise<void> {
  await withAccounts(deps, async (services) => {
    const change = { username: null, role, sections: {}, presence: OPERATOR_PRESENCE };
    const user = await services.userAdmin.update(OPERATOR, username, change);
    deps.output.result(`User ${user.name} has the role ${user.role}`, { username: user.name, role: user.role });
  });
}

export async function resetFactors(deps: CommandDeps, username: string): Promise<void> {
  await withAccounts(deps, async (services) => {
    const wereOn = await services.accountAccess.resetFactors(OPERATOR, username, OPERATOR_PRESENCE);
    const text = wereOn
      ? `Two-factor authentication of ${username} turned off and passkeys removed; all sessions of that user have ended`
      : `${username} had no two-factor authentication and no passkeys; all sessions of that user have ended`;
    deps.output.result(text, { username, wereOn });
  });
}
