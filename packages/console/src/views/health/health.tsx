import type { ServiceCheck } from '@baobab/client/admin';
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { useService } from '../../parts/service.ts';
import { StateIcon } from '../../parts/state.tsx';
import { Loading, Section, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { Remedy } from './remedy.tsx';

const TEXTS = texts.health;

/** Checks of the server and its configuration: issues with their fixes first. */
export function Health(): ReactNode {
  const { admin } = useService().client;
  const loaded = useLoad(['checks'], (signal) => admin.checks({ signal }));
  return (
    <View
      title={TEXTS.title}
      actions={
        <Button icon={RotateCw} onClick={loaded.reload}>
          {texts.refresh}
        </Button>
      }
    >
      <p className="muted">{TEXTS.about}</p>
      <Loading loaded={loaded}>
        {(checks) => {
          const of = (state: ServiceCheck['state']) => checks.filter((one) => one.state === state);
          return (
            <div className="stack loose">
              <Group title={TEXTS.faults} checks={of('fault')} none={TEXTS.noFaults} onFixed={loaded.reload} />
              <Group title={TEXTS.skipped} checks={of('skipped')} onFixed={loaded.reload} />
              <Group title={TEXTS.fine} checks={of('ok')} onFixed={loaded.reload} />
            </div>
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
  readonly onFixed: () => void;
}

function Group({ title, checks, none, onFixed }: GroupProps): ReactNode {
  if (checks.length === 0 && none === undefined) return null;
  return (
    <Section title={title} isCard={true}>
      {checks.length === 0 && <p className="muted">{none}</p>}
      <ul className="checks">
        {checks.map((check) => (
          <li key={`${check.check} ${check.text}`}>
            <StateIcon state={check.state} />
            <section className="stack" aria-label={TEXTS.names[check.check]}>
              <h3>{TEXTS.names[check.check]}</h3>
              <p>{check.text}</p>
              {check.state !== 'ok' && <Remedy check={check} onFixed={onFixed} />}
            </section>
          </li>
        ))}
      </ul>
    </Section>
  );
}
