import type { PresenceOptions } from '@baobab/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Failure, messageOf } from '../../parts/failure.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useSaveKey } from '../../parts/save-key.ts';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { EmptyState } from '../../parts/view.tsx';
import { useUnsaved } from '../../place.ts';
import { texts } from '../../texts.ts';
import { ownOf } from '../../values/own.ts';
import { groupsOf, type SettingPage } from '../../values/setting-pages.ts';
import { PageTests } from './page-tests.tsx';
import { isSecret, SettingField } from './setting-field.tsx';
import type { PlacedSetting } from './settings.tsx';

const TEXTS = texts.settings;

interface SettingsFormProps {
  readonly page: SettingPage;
  readonly settings: readonly PlacedSetting[];
}

/** Values by key. Secrets are only in it when they are changed. */
type Values = Readonly<Record<string, string>>;

/** A refused value. Others of the page may have been saved before. */
class Refused extends Error {
  readonly key: string;
  constructor(key: string, cause: unknown) {
    super(messageOf(cause) ?? texts.failure.unknown, { cause });
    this.key = key;
  }
}

const valuesOf = (settings: readonly PlacedSetting[]): Values =>
  Object.fromEntries(settings.filter(({ type }) => !isSecret(type)).map(({ key, value }) => [key, value]));

function without(values: Values, key: string): Values {
  return Object.fromEntries(Object.entries(values).filter(([other]) => other !== key));
}

/** The settings of a page. All changes are saved together. */
export function SettingsForm({ page, settings }: SettingsFormProps): ReactNode {
  const { client } = useService();
  const store = useQueryClient();
  const groups = groupsOf(page, settings);
  const [stored, setStored] = useState(() => valuesOf(settings));
  /** Only what differs from the stored values. */
  const [edited, setEdited] = useState<Values>({});
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, error, field, run } = useFreshAction();
  const changed = groups.flatMap((group) => group.settings).filter(({ key }) => Object.hasOwn(edited, key));
  const isDirty = changed.length > 0;
  useUnsaved(isDirty);
  useSaveKey(() => form.current?.requestSubmit());

  function change(key: string, value: string): void {
    setEdited((before) => (stored[key] === value ? without(before, key) : { ...before, [key]: value }));
  }

  async function save(presence: PresenceOptions): Promise<void> {
    for (const { section, key, type } of changed) {
      const value = edited[key] ?? '';
      try {
        await client.admin.settings.set(section, key, value, presence);
      } catch (cause) {
        if (isFresh(cause)) throw cause;
        throw new Refused(key, cause);
      }
      setEdited((before) => (before[key] === value ? without(before, key) : before)); // it may have been edited meanwhile
      if (!isSecret(type)) setStored((before) => ({ ...before, [key]: value }));
    }
    toast(texts.saved);
    // Also says whether secrets are set.
    void store.invalidateQueries({ queryKey: ['settings'] });
  }

  if (groups.length === 0) return <EmptyState title={TEXTS.noSettings} about={TEXTS.noSettingsAbout} />;
  const refused = error instanceof Refused ? error : null;
  return (
    <div className="stack loose">
      <form
        ref={form}
        className="stack loose"
        onSubmit={(event) => {
          event.preventDefault();
          if (isDirty) void run(save);
        }}
      >
        {groups.map(({ title, isRare = false, settings: shown }) => (
          <Group key={title} title={ownOf(TEXTS.groups, title) ?? title} isRare={isRare}>
            {shown.map((setting) => (
              <SettingField
                key={setting.key}
                setting={setting}
                value={edited[setting.key] ?? stored[setting.key] ?? ''}
                isChanged={Object.hasOwn(edited, setting.key)}
                problem={refused?.key === setting.key ? refused.message : null}
                onChange={(value) => change(setting.key, value)}
                onClear={() => setEdited((before) => without(before, setting.key))}
              />
            ))}
          </Group>
        ))}
        <div className="save-bar">
          <Button type="submit" kind="primary" disabled={isBusy || !isDirty}>
            {texts.save}
          </Button>
          <Button disabled={isBusy || !isDirty} onClick={() => setEdited({})}>
            {TEXTS.discard}
          </Button>
          <span className="meta" role="status">
            {isDirty ? TEXTS.changed(changed.length) : TEXTS.about}
          </span>
          {field}
          {refused === null && <Failure error={error} />}
        </div>
      </form>
      <PageTests page={page} />
    </div>
  );
}

const isFresh = (cause: unknown) =>
  cause instanceof Error && 'code' in cause && cause.code === 'auth.fresh_login_required';

interface GroupProps {
  readonly title: string;
  readonly isRare: boolean;
  readonly children: ReactNode;
}

/** A titled group of settings. Rarely changed ones open on request. */
function Group({ title, isRare, children }: GroupProps): ReactNode {
  if (isRare) {
    return (
      <details className="form">
        <summary>{title}</summary>
        <div className="form nested">{children}</div>
      </details>
    );
  }
  return (
    <section className="form" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
