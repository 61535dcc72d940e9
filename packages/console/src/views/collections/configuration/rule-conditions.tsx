import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../../parts/button.tsx';
import { ExpressionField } from '../../../parts/expression-field.tsx';
import { Select } from '../../../parts/field.tsx';
import { Section } from '../../../parts/view.tsx';
import { texts } from '../../../texts.ts';
import { completeExpression, namesInCondition } from '../../../values/completion.ts';
import {
  ACTIONS,
  ADMINISTRATOR,
  ANONYMOUS,
  type EditedCondition,
  type EditedRules,
  pointerOfCondition,
} from '../../../values/rules.ts';

const TEXTS = texts.rules.conditions;
const ACTION_OPTIONS = ACTIONS.map((action) => [action, texts.rules.actions[action]] as const);

/** Properties of all parts of the form for rules. */
export interface RulePartProps {
  readonly edited: EditedRules;
  readonly onChange: (edited: EditedRules) => void;
  /** Messages of the server by JSON Pointer. */
  readonly problems: ReadonlyMap<string, string>;
  /** Paths of fields to suggest. */
  readonly paths: readonly string[];
}

interface RuleConditionsProps extends RulePartProps {
  readonly roles: readonly string[];
}

/** Roles with permissions on the documents that match a filter. */
export function RuleConditions({ edited, onChange, problems, paths, roles }: RuleConditionsProps): ReactNode {
  const { conditions } = edited;
  const names = namesInCondition(paths);
  const set = (changed: readonly EditedCondition[]) => onChange({ ...edited, conditions: changed });
  function change(at: number, part: Partial<EditedCondition>): void {
    set(conditions.map((condition, index) => (index === at ? { ...condition, ...part } : condition)));
  }
  function add(): void {
    const key = Math.max(-1, ...conditions.map((condition) => condition.key)) + 1;
    set([...conditions, { key, action: 'read', role: 'registereduser', filter: '' }]);
  }
  const rolesFor = ({ action, role }: EditedCondition) =>
    [...new Set([...roles, role])].filter(
      (name) => name !== ADMINISTRATOR && (name !== ANONYMOUS || action === 'read' || name === role),
    );
  return (
    <Section title={TEXTS.title} about={TEXTS.about}>
      {conditions.length === 0 && <p className="muted">{TEXTS.none}</p>}
      {conditions.map((condition, at) => {
        const number = at + 1;
        return (
          <div key={condition.key} className="condition-row">
            <Select
              label={TEXTS.roleOf(number)}
              isBare={true}
              value={condition.role}
              onChange={(role) => change(at, { role })}
              options={rolesFor(condition).map((role) => [role, role])}
            />
            <Select
              label={TEXTS.actionOf(number)}
              isBare={true}
              value={condition.action}
              onChange={(action) => change(at, { action })}
              options={ACTION_OPTIONS}
            />
            <ExpressionField
              label={TEXTS.filterOf(number)}
              isBare={true}
              placeholder={TEXTS.placeholder}
              value={condition.filter}
              onChange={(filter) => change(at, { filter })}
              complete={(text, cursor) => completeExpression(text, cursor, names)}
              problem={problems.get(pointerOfCondition(edited, condition)) ?? null}
            />
            <IconButton
              icon={X}
              label={TEXTS.removeOf(number)}
              onClick={() => set(conditions.filter((_, index) => index !== at))}
            />
          </div>
        );
      })}
      <div>
        <Button icon={Plus} onClick={add}>
          {TEXTS.add}
        </Button>
      </div>
    </Section>
  );
}
