import type { PresenceOptions } from '@baobab/client';
import type { Rules, Violations } from '@baobab/client/admin';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/dialog.tsx';
import { Failure, problemsOf } from '../../../parts/failure.tsx';
import { useFreshAction } from '../../../parts/fresh.tsx';
import { useService } from '../../../parts/service.ts';
import { toast } from '../../../parts/toasts.tsx';
import { Loading, Section } from '../../../parts/view.tsx';
import { useUnsaved } from '../../../place.ts';
import { texts } from '../../../texts.ts';
import { useLoad } from '../../../use-load.ts';
import { changeOf, editedOf, pointersIn, rulesOf } from '../../../values/rules.ts';
import { AccessTest } from '../access-test.tsx';
import { RuleMatrix } from '../rule-matrix.tsx';
import { RuleSentences } from '../rule-sentences.tsx';
import { usePaths } from '../use-paths.ts';
import { ViolationList } from '../violations.tsx';
import { RuleChecks } from './rule-checks.tsx';
import { RuleConditions } from './rule-conditions.tsx';
import { RuleParent } from './rule-parent.tsx';

const TEXTS = texts.rules;

/** The access rules of a collection, and a tester. */
export function RulesEditor({ collection }: { readonly collection: string }): ReactNode {
  const { admin } = useService().client;
  const loaded = useLoad(['rules', collection], async (signal) => {
    const [rules, roles, collections] = await Promise.all([
      admin.collections.rules(collection, { signal }),
      admin.roles.list({ signal }),
      admin.collections.names({ signal }),
    ]);
    return { rules, roles: roles.map(({ name }) => name), collections };
  });
  return (
    <div className="stack loose">
      <Section title={TEXTS.title} about={TEXTS.about}>
        <Loading loaded={loaded}>{(found) => <RulesForm collection={collection} {...found} />}</Loading>
      </Section>
      <AccessTest collection={collection} />
    </div>
  );
}

interface RulesFormProps {
  readonly collection: string;
  readonly rules: Rules;
  readonly roles: readonly string[];
  /** Names of all collections. */
  readonly collections: readonly string[];
}

/** The rules on the server and the draft of the user. New checks are evaluated on the stored documents before they are saved. */
function useRules(collection: string, loaded: Rules) {
  const { collections } = useService().client.admin;
  const [stored, setStored] = useState(loaded);
  const [edited, setEdited] = useState(() => editedOf(loaded));
  const [found, setFound] = useState<Violations | null>(null);
  /** True if the user must confirm the violations. */
  const [isAsking, setAsking] = useState(false);
  const { isBusy, error, field, run } = useFreshAction();
  const rules = rulesOf(edited);
  const change = changeOf(stored, rules);
  const isChanged = Object.keys(change).length > 0;
  useUnsaved(isChanged);

  async function send(presence: PresenceOptions): Promise<void> {
    const answer = await collections.setRules(collection, change, presence);
    setStored(answer);
    setEdited((now) => (now === edited ? editedOf(answer) : now)); // they may have been edited meanwhile
    setFound(null);
    toast(texts.saved);
  }

  async function violations(): Promise<Violations> {
    const violating = await collections.ruleViolations(collection, change);
    setFound(violating);
    return violating;
  }

  return {
    rules,
    edited,
    found,
    isAsking,
    error,
    field,
    send,
    edit(changed: typeof edited): void {
      setFound(null);
      setEdited(changed);
    },
    dry: () => run(violations),
    save: () =>
      run(async (presence) => {
        const isRisky = change.check !== undefined && (await violations()).violations > 0;
        if (isRisky) setAsking(true);
        else await send(presence);
      }),
    endAsking: () => setAsking(false),
    canSave: isChanged && !isBusy,
    isBusy,
  };
}

function RulesForm({ collection, rules: loaded, roles, collections }: RulesFormProps): ReactNode {
  const form = useRules(collection, loaded);
  const { edited, found, error } = form;
  const paths = usePaths(collection);
  const problems = new Map(problemsOf(error).map(({ path, message }) => [path, message]));
  const part = { edited, onChange: form.edit, problems, paths };
  const results = found !== null && (
    <ViolationList
      collection={collection}
      found={found}
      outcome={TEXTS.checks.tried}
      none={TEXTS.checks.allConform}
      some={TEXTS.checks.violate}
    />
  );
  return (
    <form
      className="stack loose rules"
      onSubmit={(event) => {
        event.preventDefault();
        return form.save();
      }}
    >
      <RuleSentences rules={form.rules} />
      <Section title={TEXTS.matrix.title} about={TEXTS.matrix.about}>
        <RuleMatrix
          roles={roles}
          allowed={edited.roles}
          onChange={(allowed) => form.edit({ ...edited, roles: allowed })}
        />
      </Section>
      <RuleConditions {...part} roles={roles} />
      <RuleParent {...part} collections={collections.filter((name) => name !== collection)} />
      <RuleChecks {...part} />
      {form.field}
      <Failure error={error} shown={pointersIn(edited)} />
      <div role="status">{results}</div>
      <div className="row">
        <Button type="submit" kind="primary" disabled={!form.canSave}>
          {TEXTS.save}
        </Button>
        <Button disabled={form.isBusy} onClick={form.dry}>
          {TEXTS.checks.dry}
        </Button>
      </div>
      {form.isAsking && (
        <Confirm
          title={TEXTS.checks.confirm}
          about={TEXTS.checks.confirmAbout}
          submit={TEXTS.checks.saveAnyway}
          act={form.send}
          onDone={form.endAsking}
          onClose={form.endAsking}
        >
          {results}
        </Confirm>
      )}
    </form>
  );
}
