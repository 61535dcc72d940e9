import {
  type AdapterWithSettings,
  AppError,
  type OAuthNetwork,
  type OAuthPerson,
  type OAuthProof,
  type SettingGroup,
  type SettingsSource,
  type ValuesOf,
} from '@baobab/core';

/** App as administrators have configured it at a network. */
export interface OAuthApp {
  /** A token must have been issued to one of these; never empty. */
  readonly clientIds: readonly string[];
  /** Empty without a secret. */
  readonly secret: string;
  /** Issuer of id_tokens if operators configure it; otherwise empty. */
  readonly issuer: string;
}

/** Part of a network's adapter that needs the configured app. */
export interface OAuthVerifier {
  /** Like `identify` of `OAuthNetwork`, for this app. @throws `social.refused`, `social.unavailable` */
  identify(app: OAuthApp, proof: OAuthProof): Promise<OAuthPerson>;
  close(): Promise<void>;
}

/** @throws `social.unavailable`, whose detail names the missing setting */
export const missing = (key: string) => new AppError('social.unavailable', { detail: `${key} is not set` });

/**
 * Returns the client ids in a setting, separated by spaces or commas. @throws `social.unavailable` if there are none
 */
export function clientIdsIn(value: string, key: string): readonly string[] {
  const ids = value.split(/[\s,]+/).filter((id) => id !== '');
  if (ids.length === 0) throw missing(key);
  return ids;
}

export interface NetworkParts<Group extends SettingGroup> {
  readonly settings: Group;
  readonly isEnabled: (values: ValuesOf<Group>) => boolean;
  /** @throws `social.unavailable` if the app is not configured */
  readonly appIn: (values: ValuesOf<Group>) => OAuthApp;
  readonly verifier: OAuthVerifier;
}

/** Creates a network that reads its current settings for each call. */
export function networkWith<Group extends SettingGroup>(
  parts: NetworkParts<Group>,
): AdapterWithSettings<OAuthNetwork, Group> {
  const { settings, isEnabled, appIn, verifier } = parts;
  return {
    settings,
    create: (source: SettingsSource<Group>) => ({
      isEnabled: async () => isEnabled(await source.current()),
      identify: async (proof) => verifier.identify(appIn(await source.current()), proof),
      close: verifier.close,
    }),
  };
}
