/** Built-in roles, under their names in the API. */
export const ROLES = {
  registered: 'registereduser',
  administrator: 'administrator',
  backOffice: 'BackOffice',
  anonymous: 'anonymous',
} as const;

// A map, not an object, because a client may send the name `constructor`.
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['registered', ROLES.registered],
  ['admin', ROLES.administrator],
  ['backoffice', ROLES.backOffice],
]);

/** Returns the key of a role named by a client. Case is ignored, and some roles have aliases. */
export function roleKey(name: string): string {
  const lower = name.toLowerCase();
  return (ALIASES.get(lower) ?? lower).toLowerCase();
}

const ADMINISTRATOR_KEY = roleKey(ROLES.administrator);
const BACK_OFFICE_KEY = roleKey(ROLES.backOffice);

export const isAdministrator = (role: string) => role.toLowerCase() === ADMINISTRATOR_KEY;
export const isBackOffice = (role: string) => role.toLowerCase() === BACK_OFFICE_KEY;
