import type { FollowingPolicy } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Select } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { Loading } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';

const TEXTS = texts.groups.policy;
const SECTION = 'Application';
const KEY = 'group.add.default';
const OPTIONS = (['approve', 'anyone', 'nobody'] as const).map((policy) => [policy, TEXTS.options[policy]] as const);

/** Policy of the users who have not chosen one. */
export function GroupPolicy({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { settings } = useService().client.admin;
  const loaded = useLoad(['settings', SECTION], (signal) => settings.section(SECTION, { signal }));
  const [chosen, setChosen] = useState<FollowingPolicy | null>(null);
  const { isBusy, error, run } = useAction();
  async function save(): Promise<void> {
    if (chosen !== null) await settings.set(SECTION, KEY, chosen);
    toast(texts.saved);
    onClose();
  }
  return (
    <FormDialog
      title={TEXTS.title}
      submit={texts.save}
      isDisabled={isBusy || chosen === null}
      onClose={onClose}
      onSubmit={() => run(save)}
    >
      <p className="muted">{TEXTS.about}</p>
      <Loading loaded={loaded}>
        {(found) => {
          const stored = found.find(({ key }) => key === KEY)?.value;
          return (
            <Select
              label={TEXTS.label}
              value={chosen ?? (stored as FollowingPolicy)}
              onChange={setChosen}
              options={OPTIONS}
            />
          );
        }}
      </Loading>
      <Failure error={error} />
    </FormDialog>
  );
}
