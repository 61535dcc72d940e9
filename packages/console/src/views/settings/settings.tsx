import type { Setting } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, NotFound, showCurrent, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { SETTING_PAGES, type SettingPage } from '../../values/setting-pages.ts';
import { Backups } from './backups.tsx';
import { Environment } from './environment.tsx';
import { SettingsForm } from './settings-form.tsx';

const TEXTS = texts.settings;

/** A setting with the section that the server keeps it in. */
export interface PlacedSetting extends Setting {
  readonly section: string;
}

/** The settings of one page, beside links to the others. */
export function Settings({ place }: ViewOfPlaceProps): ReactNode {
  const {
    path: [, name = 'general'],
  } = place;
  const page = SETTING_PAGES.find((one) => one === name);
  if (page === undefined) return <NotFound />;
  return (
    <View title={TEXTS.pages[page]} parents={[[hrefOf(['settings']), TEXTS.title]]}>
      <div className="settings">
        <nav aria-label={TEXTS.title}>
          <ul ref={showCurrent}>
            {SETTING_PAGES.map((one) => (
              <li key={one}>
                <a
                  className="nav-link"
                  href={hrefOf(['settings', one])}
                  aria-current={one === page ? 'page' : undefined}
                >
                  {TEXTS.pages[one]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Page key={page} page={page} />
      </div>
    </View>
  );
}

function Page({ page }: { readonly page: SettingPage }): ReactNode {
  if (page === 'environment') return <Environment />;
  if (page === 'backups') return <Backups schedule={<StoredSettings page={page} />} />;
  return <StoredSettings page={page} />;
}

function StoredSettings({ page }: { readonly page: SettingPage }): ReactNode {
  const { client } = useService();
  const loaded = useLoad(['settings'], async (signal): Promise<readonly PlacedSetting[]> => {
    const sections = await client.admin.settings.dump({ signal });
    const all = sections.map(async ({ section }) => {
      const settings = await client.admin.settings.section(section, { signal });
      return settings.map((setting) => ({ ...setting, section }));
    });
    return (await Promise.all(all)).flat();
  });
  return <Loading loaded={loaded}>{(settings) => <SettingsForm page={page} settings={settings} />}</Loading>;
}
