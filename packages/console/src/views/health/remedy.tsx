import type { ServiceCheck } from '@baobab/client/admin';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { pageOfCheck } from '../../values/setting-pages.ts';
import { PublicUrl } from './public-url.tsx';

const TEXTS = texts.health;
const ADMINISTRATOR = 'admin';
const CODE_BYTES = 16;

interface RemedyProps {
  readonly check: ServiceCheck;
  readonly onFixed: () => void;
}

/** Fix for an issue: here, in the settings, or in the environment of the server. */
export function Remedy({ check, onFixed }: RemedyProps): ReactNode {
  const { check: name, remedy, variables } = check;
  const page = pageOfCheck(check);
  return (
    <>
      {remedy !== null && <p className="muted">{remedy}</p>}
      {name === 'password' && <AdminPassword onFixed={onFixed} />}
      {name === 'public_url' && <PublicUrl onFixed={onFixed} />}
      {page !== null && (
        <div>
          <LinkButton href={hrefOf(['settings', page])}>{TEXTS.toSettings(texts.settings.pages[page])}</LinkButton>
        </div>
      )}
      {remedy !== null && variables.length > 0 && <Variables names={variables} />}
    </>
  );
}

function AdminPassword({ onFixed }: Pick<RemedyProps, 'onFixed'>): ReactNode {
  const { users } = useService().client.admin;
  const [password, setPassword] = useState('');
  const { isBusy, error, run, field } = useFreshAction(onFixed);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        return run((presence) => users.setPassword(ADMINISTRATOR, password, presence));
      }}
    >
      <div className="row bottom">
        <Field
          label={texts.users.newPassword}
          type="password"
          value={password}
          onChange={setPassword}
          required={true}
          autoComplete="new-password"
        />
        {field}
        <Button type="submit" disabled={isBusy}>
          {texts.users.setPassword}
        </Button>
      </div>
      <Failure error={error} />
    </form>
  );
}

function randomCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(CODE_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function Variables({ names }: { readonly names: readonly string[] }): ReactNode {
  const [code] = useState(randomCode);
  const isCode = names.includes('APP_CODE');
  return (
    <>
      <p>{TEXTS.variables}</p>
      <ul className="stack">
        {names.map((name) => (
          <li key={name}>
            <code>
              {name}
              {name === 'APP_CODE' && `=${code}`}
            </code>
          </li>
        ))}
      </ul>
      {isCode && <p className="meta">{TEXTS.appCodeAbout}</p>}
    </>
  );
}
