import type { PresenceOptions } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { type PublicAddress, parsePublicUrl } from '../../values/public-url.ts';

const TEXTS = texts.health;
const SECTION = 'Application';

/** Sets the public address, which consists of three settings. */
export function PublicUrl({ onFixed }: { readonly onFixed: () => void }): ReactNode {
  const { settings } = useService().client.admin;
  const [text, setText] = useState(location.origin);
  const { isBusy, error, field, run } = useFreshAction(onFixed);
  const address = parsePublicUrl(text);

  async function set({ host, port, isSecure }: PublicAddress, presence: PresenceOptions): Promise<void> {
    await settings.set(SECTION, 'network.http.ssl', isSecure, presence);
    await settings.set(SECTION, 'network.http.port', port, presence);
    // Last, because the others take effect only with a host.
    await settings.set(SECTION, 'network.http.url', host, presence);
  }

  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (address !== null) void run((presence) => set(address, presence));
      }}
    >
      <div className="row bottom">
        <Field
          label={TEXTS.publicUrl}
          value={text}
          onChange={setText}
          about={TEXTS.publicUrlAbout}
          problem={address === null ? TEXTS.publicUrlInvalid : null}
          autoComplete="off"
        />
        <Button type="submit" disabled={isBusy || address === null}>
          {TEXTS.setPublicUrl}
        </Button>
      </div>
      {field}
      <Failure error={error} />
    </form>
  );
}
