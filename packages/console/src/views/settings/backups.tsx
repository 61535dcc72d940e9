import type { BackupState, StoredBackup } from '@baobab/client/admin';
import { Download as DownloadIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { saveAs } from '../../parts/blobs.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { MoreMenu } from '../../parts/menu.tsx';
import { useService } from '../../parts/service.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { toast } from '../../parts/toasts.tsx';
import { Age } from '../../parts/values.tsx';
import { Loading, Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { type Loaded, useAction, useLoad } from '../../use-load.ts';
import { bytesText, dateText } from '../../values/format.ts';
import { Restore } from './restore.tsx';

const TEXTS = texts.settings.backup;
const EXAMPLE = 'BACKUP_URL=s3://bucket/backups';
/** Interval at which a backup or restore in progress is looked at, in milliseconds. */
const LOOK_MS = 1_000;

/** Date and time in UTC for the name of a file. */
const nameNow = () => new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');

interface BackupsProps {
  /** Settings of the schedule. */
  readonly schedule: ReactNode;
}

/** Backups of the server: download, stored ones with their schedule, and restore. */
export function Backups({ schedule }: BackupsProps): ReactNode {
  const { admin } = useService().client;
  const loaded = useLoad(['backups'], (signal) => admin.backups.state({ signal }));
  const { data, isLoading, reload } = loaded;
  const restored = data?.restored?.at ?? null;
  /** Time of the restore before the one in progress; undefined: none is in progress. */
  const [before, setBefore] = useState<string | null>();
  const isRestoring = before === restored;
  const isWatched = (data?.running === true || isRestoring) && !isLoading;
  useEffect(() => {
    if (!isWatched) return;
    const looking = setTimeout(reload, LOOK_MS);
    return () => clearTimeout(looking);
  }, [isWatched, reload]);
  return (
    <div className="stack loose">
      <Loading loaded={loaded}>
        {(state) =>
          state.supported ? (
            <div className="stack loose">
              <DownloadNew />
              <Section title={TEXTS.stored} about={state.configured ? TEXTS.storedAbout : TEXTS.unconfigured}>
                {state.configured ? <Stored state={state} loaded={loaded} /> : <pre>{EXAMPLE}</pre>}
              </Section>
              {state.configured && schedule}
              <Restore state={state} isRestoring={isRestoring} onRestoring={() => setBefore(restored)} />
            </div>
          ) : (
            <p className="muted">{TEXTS.unsupported}</p>
          )
        }
      </Loading>
    </div>
  );
}

function DownloadNew(): ReactNode {
  const { admin } = useService().client;
  const { isBusy, error, field, run } = useFreshAction();
  const save = () =>
    run(async (presence) => {
      const archive = await admin.backups.download(presence);
      saveAs(`baobab-${nameNow()}.tar`, await archive.blob());
      toast(TEXTS.downloaded);
    });
  return (
    <Section title={TEXTS.title} about={TEXTS.about}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {field}
        <div>
          <Button type="submit" kind="primary" icon={DownloadIcon} disabled={isBusy}>
            {isBusy ? TEXTS.preparing : TEXTS.download}
          </Button>
        </div>
        <Failure error={error} />
      </form>
    </Section>
  );
}

interface StoredProps {
  readonly state: BackupState;
  readonly loaded: Loaded<BackupState>;
}

function Stored({ state, loaded: { reload } }: StoredProps): ReactNode {
  const { admin } = useService().client;
  const making = useAction();
  const downloading = useFreshAction();
  /** Name of the backup that is downloaded. */
  const [wanted, setWanted] = useState('');
  const [removed, setRemoved] = useState<StoredBackup | null>(null);
  const { stored, running, next, error } = state;

  async function begin(): Promise<void> {
    await admin.backups.begin();
    reload();
  }

  function save(name: string): void {
    setWanted(name);
    void downloading.run(async (presence) =>
      saveAs(`baobab-${name}.tar`, await (await admin.backups.download({ ...presence, name })).blob()),
    );
  }

  return (
    <div className="stack">
      <div className="row">
        <Button disabled={running || making.isBusy} onClick={() => making.run(begin)}>
          {running ? TEXTS.running : TEXTS.begin}
        </Button>
        <span className="meta" role="status">
          {next === null ? TEXTS.unscheduled : TEXTS.next(dateText(next))}
        </span>
      </div>
      <Failure error={making.error} />
      {error !== null && <Failure error={new Error(TEXTS.failed(error))} />}
      {downloading.field !== null && (
        <form
          className="row bottom"
          onSubmit={(event) => {
            event.preventDefault();
            save(wanted);
          }}
        >
          {downloading.field}
          <Button type="submit">{texts.parts.download}</Button>
        </form>
      )}
      <Failure error={downloading.error} />
      {stored.length === 0 ? (
        <p className="muted">{TEXTS.none}</p>
      ) : (
        <SmallTable label={TEXTS.stored} heads={[TEXTS.created, [TEXTS.size], null]}>
          {stored.map((backup) => (
            <tr key={backup.name}>
              <td>
                <Age date={backup.created} />
              </td>
              <td className="number">{bytesText(backup.size)}</td>
              <td className="menu-cell">
                <MoreMenu
                  label={TEXTS.actionsOf(dateText(backup.created))}
                  entries={[
                    { text: texts.parts.download, act: () => save(backup.name) },
                    { text: texts.remove, isDanger: true, act: () => setRemoved(backup) },
                  ]}
                />
              </td>
            </tr>
          ))}
        </SmallTable>
      )}
      {removed !== null && (
        <Confirm
          title={TEXTS.removeTitle(dateText(removed.created))}
          submit={texts.remove}
          about={TEXTS.removeAbout}
          act={() => admin.backups.remove(removed.name)}
          onDone={() => {
            setRemoved(null);
            reload();
          }}
          onClose={() => setRemoved(null)}
        />
      )}
    </div>
  );
}
