import { AppError, type ShownSection } from '@baobab/core';
import { OPERATOR_PRESENCE } from '../composition/operator.ts';
import { administrate, warnOfExtensions } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { readPassword } from './password.ts';
import { table, visible } from './table.ts';

const NO_SETTINGS = 'it has no settings of extensions';

const tableOf = (sections: ReadonlyArray<Pick<ShownSection, 'section' | 'settings'>>) =>
  table(
    ['section', 'key', 'value', 'type'],
    sections.flatMap(({ section, settings }) => settings.map(({ key, value, type }) => [section, key, value, type])),
  );

/** Shows all settings, those of a section, or the value of one. Secrets are shown as `***`. */
export async function getSettings(deps: CommandDeps, section?: string, key?: string): Promise<void> {
  warnOfExtensions(deps, NO_SETTINGS);
  await administrate(deps, async ({ services: { settingAdmin }, actor }) => {
    if (section === undefined) {
      const data = await settingAdmin.dump(actor);
      deps.output.result(tableOf(data), { data });
      return;
    }
    const shown = await settingAdmin.section(actor, section);
    if (key === undefined) {
      deps.output.result(tableOf([{ section: section as ShownSection['section'], settings: shown }]), { data: shown });
      return;
    }
    const setting = shown.find((one) => one.key === key);
    if (setting === undefined) throw new AppError('setting.key_not_found', { detail: `"${key}"` });
    deps.output.result(visible(setting.value), setting);
  });
}

interface SettingArguments {
  readonly section: string;
  readonly key: string;
  /** Absent to type it, or to read it from standard input. */
  readonly value?: string | undefined;
}

export async function setSetting(deps: CommandDeps, { section, key, value }: SettingArguments): Promise<void> {
  warnOfExtensions(deps, NO_SETTINGS);
  const given = value ?? (await readPassword(deps.host, 'Value'));
  await administrate(deps, async ({ services: { settingAdmin }, actor }) => {
    await settingAdmin.set(actor, { section, key, value: given, presence: OPERATOR_PRESENCE });
    const shown = (await settingAdmin.section(actor, section)).find((one) => one.key === key);
    deps.output.result(`${key} is now ${visible(shown?.value)}`, { key, value: shown?.value ?? '' });
  });
}
