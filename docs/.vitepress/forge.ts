/** The field `repository` of a package.json: an address, alone or as a member. */
type Repository = string | { readonly url: string };

/** Returns the address of a file on the forge that hosts the repository; null if the project names no repository. */
export function addressOnForge(repository: Repository | undefined, path: string): string | null {
  if (repository === undefined) return null;
  const url = typeof repository === 'string' ? repository : repository.url;
  return `${url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/HEAD/${path}`;
}
