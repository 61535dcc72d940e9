import type { PresenceOptions, Profile } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { JsonField } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { Section } from '../../parts/view.tsx';
import { useUnsaved } from '../../place.ts';
import { texts } from '../../texts.ts';
import { formatJson, parseObject } from '../../values/json.ts';
import { SECTIONS } from '../../values/profiles.ts';

const TEXTS = texts.users;

type Texts = Readonly<Record<(typeof SECTIONS)[number], string>>;

const textsOf = (profile: Profile): Texts => ({
  visibleByTheUser: formatJson(profile.visibleByTheUser ?? {}),
  visibleByFriend: formatJson(profile.visibleByFriend ?? {}),
  visibleByRegisteredUsers: formatJson(profile.visibleByRegisteredUsers ?? {}),
  visibleByAnonymousUsers: formatJson(profile.visibleByAnonymousUsers ?? {}),
});

/** The four sections as JSON. Only edited ones are sent. */
export function ProfileEditor({ profile }: { readonly profile: Profile }): ReactNode {
  const { users } = useService().client.admin;
  const [stored, setStored] = useState(() => textsOf(profile));
  const [edited, setEdited] = useState(stored);
  useUnsaved(SECTIONS.some((section) => edited[section] !== stored[section]));
  const { isBusy, error, field, run } = useFreshAction();
  const changed = SECTIONS.filter((section) => edited[section] !== stored[section]);
  const values = changed.map((section) => [section, parseObject(edited[section])] as const);
  const isValid = values.every(([, parsed]) => 'value' in parsed);

  async function save(presence: PresenceOptions): Promise<void> {
    const change = Object.fromEntries(
      values.flatMap(([section, one]) => ('value' in one ? [[section, one.value]] : [])),
    );
    const answer = textsOf(await users.update(profile.user.name, change, presence));
    setStored(answer);
    setEdited((now) => (now === edited ? answer : now)); // it may have been edited meanwhile
    toast(texts.saved);
  }

  return (
    <Section title={TEXTS.profile}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          return run(save);
        }}
      >
        {SECTIONS.map((section) => (
          <JsonField
            key={section}
            label={TEXTS.sections[section]}
            value={edited[section]}
            rows={4}
            onChange={(text) => setEdited((before) => ({ ...before, [section]: text }))}
          />
        ))}
        {field}
        <Failure error={error} />
        <div className="row">
          <Button type="submit" kind="primary" disabled={isBusy || changed.length === 0 || !isValid}>
            {TEXTS.saveProfile}
          </Button>
        </div>
      </form>
    </Section>
  );
}
