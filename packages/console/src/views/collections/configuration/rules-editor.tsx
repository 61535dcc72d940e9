import type { Rules } from '@baobab/client/admin';
import { type ReactNode, useCallback, useState } from 'react';
import { Failure } from '../../../parts/failure.tsx';
import { useService } from '../../../parts/service.ts';
import { Loading } from '../../../parts/view.tsx';
import { texts } from '../../../texts.ts';
import { useAction, useLoad } from '../../../use-load.ts';
import { ACTIONS, RuleMatrix } from '../rule-matrix.tsx';

const TEXTS = texts.collections.rules;

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((name) => b.includes(name));

/** Permissions of roles on all documents of the collection. */
export function RulesEditor({ collection }: { readonly collection: string }): ReactNode {
  const { admin } = useService().client;
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [rules, roles] = await Promise.all([
        admin.collections.rules(collection, { signal }),
        admin.roles.list({ signal }),
      ]);
      return { rules, roles: roles.map(({ name }) => name) };
    },
    [admin, collection],
  );
  return (
    <section className="card" aria-label={TEXTS.title}>
      <h2>{TEXTS.title}</h2>
      <p className="dim">{TEXTS.about}</p>
      <Loading loaded={useLoad(load)}>
        {({ rules, roles }) => <RulesForm collection={collection} rules={rules} roles={roles} />}
      </Loading>
    </section>
  );
}

interface RulesFormProps {
  readonly collection: string;
  readonly rules: Rules;
  readonly roles: readonly string[];
}

function RulesForm({ collection, rules, roles }: RulesFormProps): ReactNode {
  const { collections } = useService().client.admin;
  const [stored, setStored] = useState(rules);
  const [edited, setEdited] = useState(rules);
  const [isSaved, setSaved] = useState(false);
  const { isBusy, error, run } = useAction();
  const changed = ACTIONS.filter((action) => !isSame(edited[action], stored[action]));

  async function save(): Promise<void> {
    const change = Object.fromEntries(changed.map((action) => [action, edited[action]]));
    const answer = await collections.setRules(collection, change);
    setStored(answer);
    setEdited(answer);
    setSaved(true);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        return run(save);
      }}
    >
      <RuleMatrix
        roles={roles}
        rules={edited}
        onChange={(next) => {
          setSaved(false);
          setEdited(next);
        }}
      />
      <Failure error={error} />
      <div className="row">
        <button type="submit" disabled={isBusy || changed.length === 0}>
          {TEXTS.save}
        </button>
        <span role="status">{isSaved ? texts.saved : ''}</span>
      </div>
    </form>
  );
}
