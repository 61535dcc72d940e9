import type { ServiceCheck } from '@baobab/client/admin';
import { type ReactNode, useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { State } from '../../parts/state.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';

const TEXTS = texts.settingDetails;

/** Checks by section of settings. */
const CHECKS: Readonly<Record<string, ServiceCheck['check']>> = {
  PasswordRecovery: 'mail',
  Push: 'push',
  Social: 'social',
};

/** Tests of the settings in a section, if there are any. */
export function SectionTests({ section }: { readonly section: string }): ReactNode {
  const check = CHECKS[section];
  if (check === undefined) return null;
  return (
    <section className="card" aria-label={TEXTS.test}>
      <h2>{TEXTS.test}</h2>
      <CheckNow check={check} />
      {check === 'mail' && <TestMail />}
      {check === 'push' && (
        <p>
          <a href={hrefOf(['push'])}>{TEXTS.pushToMe}</a>
        </p>
      )}
    </section>
  );
}

function CheckNow({ check }: { readonly check: ServiceCheck['check'] }): ReactNode {
  const { admin } = useService().client;
  const [found, setFound] = useState<readonly ServiceCheck[]>([]);
  const { isBusy, error, run } = useAction();
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => run(async () => setFound(await admin.checks({ check })))}>
        {TEXTS.check}
      </button>
      <div role="status">
        {found.map(({ text, remedy, state }) => (
          <p key={text}>
            <State state={state} /> {text}
            {remedy !== null && <span className="dim">. {remedy}</span>}
          </p>
        ))}
      </div>
      <Failure error={error} />
    </>
  );
}

function TestMail(): ReactNode {
  const { admin } = useService().client;
  const [to, setTo] = useState('');
  const [answer, setAnswer] = useState<string | null>(null);
  const { isBusy, error, run } = useAction();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setAnswer(null);
        return run(async () => setAnswer(await admin.testMail(to)));
      }}
    >
      <div className="row">
        <Field label={texts.checks.mailTo} value={to} onChange={setTo} required={true} autoComplete="email" />
        <button type="submit" disabled={isBusy}>
          {texts.checks.testMail}
        </button>
      </div>
      <Failure error={error} />
      <p role="status">{answer === null ? '' : texts.checks.mailAnswer(answer)}</p>
    </form>
  );
}
