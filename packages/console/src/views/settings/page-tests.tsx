import type { ServiceCheck } from '@baobab/client/admin';
import { Send, Stethoscope } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { State } from '../../parts/state.tsx';
import { Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import type { SettingPage } from '../../values/setting-pages.ts';

const TEXTS = texts.settings;

/** Checks by page of settings. */
const CHECKS: Readonly<Partial<Record<SettingPage, ServiceCheck['check']>>> = {
  email: 'mail',
  notifications: 'push',
  social: 'social',
};

/** Tests of the saved settings of a page, if there are any. */
export function PageTests({ page }: { readonly page: SettingPage }): ReactNode {
  const check = CHECKS[page];
  if (check === undefined) return null;
  return (
    <Section title={TEXTS.test} isCard={true}>
      <CheckNow check={check} />
      {check === 'mail' && <TestMail />}
      {check === 'push' && (
        <div>
          <LinkButton href={hrefOf(['push'])}>{TEXTS.pushToMe}</LinkButton>
        </div>
      )}
    </Section>
  );
}

function CheckNow({ check }: { readonly check: ServiceCheck['check'] }): ReactNode {
  const { admin } = useService().client;
  const [found, setFound] = useState<readonly ServiceCheck[]>([]);
  const { isBusy, error, run } = useAction();
  return (
    <>
      <div>
        <Button
          icon={Stethoscope}
          disabled={isBusy}
          onClick={() => run(async () => setFound(await admin.checks({ check })))}
        >
          {TEXTS.check}
        </Button>
      </div>
      <div role="status" className="stack">
        {found.map(({ text, remedy, state }) => (
          <p key={text}>
            <State state={state} /> {text}
            {remedy !== null && <span className="muted">. {remedy}</span>}
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
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setAnswer(null);
        return run(async () => setAnswer(await admin.testMail(to)));
      }}
    >
      <div className="row bottom">
        <Field label={TEXTS.mailTo} value={to} onChange={setTo} required={true} autoComplete="email" />
        <Button type="submit" icon={Send} disabled={isBusy}>
          {TEXTS.testMail}
        </Button>
      </div>
      <Failure error={error} />
      <p role="status">{answer === null ? '' : TEXTS.mailAnswer(answer)}</p>
    </form>
  );
}
