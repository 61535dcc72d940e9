import { type ReactNode, useCallback, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { Loading } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';
import { FIRST_RULES, RuleMatrix } from './rule-matrix.tsx';

const TEXTS = texts.collections;

/** Creates a collection with its rules. */
export function NewCollection({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { admin } = useService().client;
  const loaded = useLoad(useCallback((signal: AbortSignal) => admin.roles.list({ signal }), [admin]));
  const [name, setName] = useState('');
  const [rules, setRules] = useState(FIRST_RULES);
  /** True if the collection was created but its rules were rejected. */
  const [isCreated, setCreated] = useState(false);
  const { isBusy, error, run } = useAction();

  async function create(): Promise<void> {
    if (!isCreated) await admin.collections.create(name);
    setCreated(true);
    if (rules !== FIRST_RULES) await admin.collections.setRules(name, rules);
    go(['collections', name]);
  }

  return (
    <Dialog title={TEXTS.create} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          return run(create);
        }}
      >
        <Field
          label={texts.name}
          value={name}
          onChange={(edited) => {
            setCreated(false);
            setName(edited);
          }}
          required={true}
          autoComplete="off"
        />
        <details>
          <summary>{TEXTS.rules.title}</summary>
          <p className="dim">{TEXTS.rules.about}</p>
          <Loading loaded={loaded}>
            {(roles) => <RuleMatrix roles={roles.map((role) => role.name)} rules={rules} onChange={setRules} />}
          </Loading>
        </details>
        <Failure error={error} />
        <div className="row">
          <button type="submit" className="main" disabled={isBusy}>
            {texts.create}
          </button>
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
