import type { ServiceCheck } from '@baobab/client/admin';
import { type ReactNode, useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { useService } from '../../parts/service.ts';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { PublicUrl } from './public-url.tsx';

const TEXTS = texts.checks;
const ADMINISTRATOR = 'admin';
const CODE_BYTES = 16;

interface RemedyProps {
  readonly check: ServiceCheck;
  readonly onMended: () => void;
}

/** Fix for a finding: here, in the settings, or in the environment of the server. */
export function Remedy({ check, onMended }: RemedyProps): ReactNode {
  const { check: name, remedy, variables, section } = check;
  return (
    <>
      {remedy !== null && <p className="dim">{remedy}</p>}
      {name === 'password' && <AdminPassword onMended={onMended} />}
      {name === 'public_url' && <PublicUrl onMended={onMended} />}
      {section !== null && (
        <p>
          <a href={hrefOf(['settings', section])}>{TEXTS.toSettings(section)}</a>
        </p>
      )}
      {remedy !== null && variables.length > 0 && <Variables names={variables} />}
    </>
  );
}

function AdminPassword({ onMended }: Pick<RemedyProps, 'onMended'>): ReactNode {
  const { users } = useService().client.admin;
  const [password, setPassword] = useState('');
  const { isBusy, error, run, field } = useFreshAction();
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        if (await run((presence) => users.setPassword(ADMINISTRATOR, password, presence))) onMended();
      }}
    >
      <div className="row">
        <Field
          label={texts.users.newPassword}
          type="password"
          value={password}
          onChange={setPassword}
          required={true}
          autoComplete="new-password"
        />
        {field}
        <button type="submit" className="main" disabled={isBusy}>
          {texts.users.setPassword}
        </button>
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
      <ul>
        {names.map((name) => (
          <li key={name}>
            <code>
              {name}
              {name === 'APP_CODE' && `=${code}`}
            </code>
          </li>
        ))}
      </ul>
      {isCode && <p className="dim">{TEXTS.appCodeAbout}</p>}
    </>
  );
}
