import type { Setting, SettingsSection } from '@baobab/client/admin';
import { type ReactNode, useCallback } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, View } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { Environment } from './environment.tsx';
import { SectionTests } from './section-tests.tsx';
import { SettingForm } from './setting-form.tsx';

const TEXTS = texts.settings;
const DETAILS = texts.settingDetails;
/** A view in addition to the sections of settings. */
const ENVIRONMENT = 'environment';

interface Shown {
  readonly sections: readonly SettingsSection[];
  readonly settings: readonly Setting[];
}

/** The sections, and the settings of one of them. */
export function Settings({ place }: ViewOfPlaceProps): ReactNode {
  const { client } = useService();
  const [, section] = place.path;
  const load = useCallback(
    async (signal: AbortSignal): Promise<Shown> => {
      const sections = await client.admin.settings.dump({ signal });
      const settings =
        section === undefined || section === ENVIRONMENT
          ? []
          : await client.admin.settings.section(section, { signal });
      return { sections, settings };
    },
    [client, section],
  );
  const loaded = useLoad(load);
  const parents = section === undefined ? [] : ([[hrefOf(['settings']), TEXTS.title]] as const);
  return (
    <View title={section === ENVIRONMENT ? DETAILS.environment : (section ?? TEXTS.title)} parents={parents}>
      {section !== ENVIRONMENT && <p className="dim">{TEXTS.about}</p>}
      <Loading loaded={loaded}>
        {({ sections, settings }) => (
          <>
            <nav aria-label={TEXTS.sections}>
              <ul className="sections">
                {sections.map((one) => (
                  <li key={one.section}>
                    <a
                      href={hrefOf(['settings', one.section])}
                      aria-current={one.section === section ? 'page' : undefined}
                    >
                      {one.section}
                    </a>{' '}
                    {section === undefined && <span className="dim">{one.description}</span>}
                  </li>
                ))}
                <li>
                  <a
                    href={hrefOf(['settings', ENVIRONMENT])}
                    aria-current={section === ENVIRONMENT ? 'page' : undefined}
                  >
                    {DETAILS.environment}
                  </a>
                </li>
              </ul>
            </nav>
            {section === ENVIRONMENT && <Environment />}
            {sections
              .filter((one) => one.section === section)
              .map((one) => (
                <p key={one.section}>{one.description}</p>
              ))}
            {section !== undefined && <SectionTests key={section} section={section} />}
            {section !== undefined &&
              settings.map((setting) => (
                <SettingForm key={`${section} ${setting.key}`} section={section} setting={setting} />
              ))}
          </>
        )}
      </Loading>
    </View>
  );
}
