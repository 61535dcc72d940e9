import type { Actor } from '../actor.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { JsonObject } from '../json-text.ts';
import type { Sections } from '../ports/storage/users.ts';
import { parseSections } from './sections.ts';

interface ComingUser {
  /** Null if it is generated. */
  readonly username: string | null;
  readonly sections: Partial<Sections>;
}

/** Runs the hooks before a user is created. Resolves to the sections to store. @throws `extension.*`, `user.section_invalid` */
export async function beforeUser(
  hooks: Hooks,
  actor: Actor,
  { username, sections }: ComingUser,
): Promise<Partial<Sections>> {
  if (!hooks.has('user.create')) return sections;
  const parsed = Object.entries(sections).map(([name, text]) => [name, JSON.parse(text)]);
  const shown: { readonly username: string | null; content: JsonObject } = {
    username,
    content: Object.fromEntries(parsed),
  };
  await hooks.run('user.create', shown, actor);
  return parseSections(shown.content);
}
