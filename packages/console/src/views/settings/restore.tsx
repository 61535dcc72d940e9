import type { BackupState } from '@baobab/client/admin';
import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useService } from '../../parts/service.ts';
import { Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { dateText } from '../../values/format.ts';

const TEXTS = texts.settings.backup;
const COMMAND = 'baobab restore --from backup.tar';

interface RestoreProps {
  readonly state: BackupState;
  /** True from the upload of an archive until the server has restarted. */
  readonly isRestoring: boolean;
  readonly onRestoring: () => void;
}

/** Restore of an uploaded archive, on a server without data. */
export function Restore({ state: { restorable, restored }, isRestoring, onRestoring }: RestoreProps): ReactNode {
  if (isRestoring) {
    return (
      <Section title={TEXTS.restore}>
        <p role="status">{TEXTS.restoring}</p>
      </Section>
    );
  }
  return (
    <Section title={TEXTS.restore} about={restorable ? TEXTS.restoreAbout : TEXTS.notRestorable}>
      {restorable ? <Upload onSent={onRestoring} /> : <pre>{COMMAND}</pre>}
      {restored !== null &&
        (restored.error === null ? (
          <p className="meta">{TEXTS.restored(dateText(restored.at))}</p>
        ) : (
          <Failure error={new Error(TEXTS.notRestored(restored.error))} />
        ))}
    </Section>
  );
}

function Upload({ onSent }: { readonly onSent: () => void }): ReactNode {
  const { admin } = useService().client;
  const id = useId();
  const [file, setFile] = useState<File | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [sent, setSent] = useState<number | null>(null);

  async function restore(archive: File): Promise<void> {
    setSent(0);
    try {
      await admin.backups.restore(archive, { onProgress: (progress) => setSent(progress.sent) });
    } finally {
      setSent(null);
    }
  }

  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        setAsking(file !== null);
      }}
    >
      <div className="field">
        <label htmlFor={id}>{TEXTS.archive}</label>
        <input id={id} type="file" accept=".tar" onChange={({ target }) => setFile(target.files?.item(0) ?? null)} />
      </div>
      <div>
        <Button type="submit" disabled={file === null}>
          {TEXTS.restoreNow}
        </Button>
      </div>
      {isAsking && file !== null && (
        <Confirm
          title={TEXTS.restoreTitle(file.name)}
          submit={TEXTS.restoreNow}
          about={TEXTS.restoreConsequence}
          act={() => restore(file)}
          onDone={onSent}
          onClose={() => setAsking(false)}
        >
          {sent !== null && (
            <progress aria-label={texts.parts.progress(file.name)} value={sent} max={Math.max(file.size, sent, 1)} />
          )}
        </Confirm>
      )}
    </form>
  );
}
