import type { ServiceCheck } from '@baobab/client/admin';
import { type ReactNode, useCallback } from 'react';
import { useService } from '../../parts/service.ts';
import { Loading, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { Remedy } from './remedy.tsx';

const TEXTS = texts.checks;

/** Problems in the set-up, with their fixes. */
export function Checks(): ReactNode {
  const { admin } = useService().client;
  const loaded = useLoad(useCallback((signal: AbortSignal) => admin.checks({ signal }), [admin]));
  return (
    <View
      title={TEXTS.title}
      actions={
        <button type="button" onClick={loaded.reload}>
          {TEXTS.again}
        </button>
      }
    >
      <p className="dim">{TEXTS.about}</p>
      <Loading loaded={loaded}>
        {(checks) => {
          const of = (state: ServiceCheck['state']) => checks.filter((one) => one.state === state);
          return (
            <>
              <Group title={TEXTS.faults} checks={of('fault')} none={TEXTS.noFaults} onMended={loaded.reload} />
              <Group title={TEXTS.skipped} checks={of('skipped')} onMended={loaded.reload} />
              <InOrder checks={of('ok')} />
            </>
          );
        }}
      </Loading>
    </View>
  );
}

interface GroupProps {
  readonly title: string;
  readonly checks: readonly ServiceCheck[];
  /** Shown if the group has no checks; absent: the group is hidden. */
  readonly none?: string;
  readonly onMended: () => void;
}

function Group({ title, checks, none, onMended }: GroupProps): ReactNode {
  if (checks.length === 0 && none === undefined) return null;
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {checks.length === 0 && <p>{none}</p>}
      {checks.map((check) => (
        <section key={`${check.check} ${check.text}`} className="check" aria-label={TEXTS.names[check.check]}>
          <h3>{TEXTS.names[check.check]}</h3>
          <p>{check.text}</p>
          {check.state !== 'ok' && <Remedy check={check} onMended={onMended} />}
        </section>
      ))}
    </section>
  );
}

function InOrder({ checks }: Pick<GroupProps, 'checks'>): ReactNode {
  return (
    <section className="card" aria-label={TEXTS.fine}>
      <h2>{TEXTS.fine}</h2>
      <dl>
        {checks.map(({ check, text }) => (
          <div key={`${check} ${text}`} className="pair">
            <dt>{TEXTS.names[check]}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
