import { AppError } from '../errors.ts';
import type { OAuthNetwork, OAuthNetworks } from '../ports/oauth.ts';

/**
 * Returns the network of this name, if login with it is enabled.
 *
 * @throws `social.network_unknown`, `social.disabled`
 */
export async function requireNetwork(networks: OAuthNetworks, name: string): Promise<OAuthNetwork> {
  const network = Object.hasOwn(networks, name) ? networks[name] : undefined;
  if (network === undefined) throw new AppError('social.network_unknown', { detail: `"${name}"` });
  if (!(await network.isEnabled())) throw new AppError('social.disabled');
  return network;
}
