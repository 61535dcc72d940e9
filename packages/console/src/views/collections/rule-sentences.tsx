import type { ParentRules, Rules } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { texts } from '../../texts.ts';
import { listText } from '../../values/format.ts';
import { ANONYMOUS, allowedBy, CHECKED, inheritedBy, type RuleAction } from '../../values/rules.ts';

const TEXTS = texts.rules.summary;
const REGISTERED = 'registereduser';

function roleText(role: string): string {
  if (role === ANONYMOUS) return TEXTS.roles.everyone;
  return role === REGISTERED ? TEXTS.roles.users : TEXTS.roles.role(role);
}

const actionsText = (actions: readonly RuleAction[]) => listText(actions.map((action) => texts.rules.actions[action]));

function inheritance(parent: ParentRules): string[] {
  const of = parent.collection === null ? TEXTS.parent : TEXTS.parentIn(parent.collection);
  const sentences = inheritedBy(parent).map(({ right, actions }) => TEXTS.inherits[right](of, actionsText(actions)));
  return parent.create === null ? sentences : [...sentences, TEXTS.needsParent(parent.field)];
}

/** Returns what the rules mean, in sentences. */
function sentencesOf(rules: Rules): string[] {
  const allowed = allowedBy(rules).map(({ role, filter, actions }) =>
    filter === null
      ? TEXTS.can(roleText(role), actionsText(actions))
      : TEXTS.canIf(roleText(role), actionsText(actions), filter),
  );
  return [
    ...allowed,
    ...(rules.create.length === 0 ? [TEXTS.nobodyCreates] : []),
    ...(rules.parent === null ? [] : inheritance(rules.parent)),
    ...CHECKED.flatMap((action) => {
      const check = rules.check[action];
      return check === undefined ? [] : [TEXTS.check[action](check)];
    }),
    TEXTS.authors,
  ];
}

/** The rules in words. */
export function RuleSentences({ rules }: { readonly rules: Rules }): ReactNode {
  return (
    <section className="card" aria-label={TEXTS.title}>
      <h3>{TEXTS.title}</h3>
      <ul className="bullets sentences">
        {sentencesOf(rules).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
