import type { ParentRules } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { ExpressionField } from '../../../parts/expression-field.tsx';
import { Select } from '../../../parts/field.tsx';
import { Section } from '../../../parts/view.tsx';
import { texts } from '../../../texts.ts';
import { completePath } from '../../../values/completion.ts';
import { ACTIONS, FIRST_PARENT } from '../../../values/rules.ts';
import type { RulePartProps } from './rule-conditions.tsx';

const TEXTS = texts.rules.parent;
/** Value of an option for null. */
const NONE = '';
const RIGHTS = ['read', 'update', 'delete', 'all'] as const;
const RIGHT_OPTIONS = [
  [NONE, TEXTS.notInherited] as const,
  ...RIGHTS.map((right) => [right, TEXTS.rights[right]] as const),
];
const ON_DELETE = (['cascade', 'restrict', 'detach'] as const).map((one) => [one, TEXTS.onDeletes[one]] as const);

interface RuleParentProps extends RulePartProps {
  /** Names of all collections. */
  readonly collections: readonly string[];
}

/** Permissions inherited from another document. */
export function RuleParent({ edited, onChange, problems, paths, collections }: RuleParentProps): ReactNode {
  const { parent } = edited;
  const set = (changed: ParentRules | null) => onChange({ ...edited, parent: changed });
  return (
    <Section title={TEXTS.title} about={TEXTS.about}>
      <label className="check">
        <input
          type="checkbox"
          className="switch"
          checked={parent !== null}
          onChange={({ target }) => set(target.checked ? FIRST_PARENT : null)}
        />
        {TEXTS.on}
      </label>
      {parent !== null && (
        <div className="pairs">
          <ExpressionField
            label={TEXTS.field}
            value={parent.field}
            onChange={(field) => set({ ...parent, field })}
            complete={(text, cursor) => completePath(text, cursor, paths)}
            problem={problems.get('/parent/field') ?? null}
          />
          <Select
            label={TEXTS.collection}
            value={parent.collection ?? NONE}
            onChange={(name) => set({ ...parent, collection: name === NONE ? null : name })}
            options={[[NONE, TEXTS.any], ...collections.map((name) => [name, name] as const)]}
          />
          {ACTIONS.map((action) => (
            <Select
              key={action}
              label={TEXTS.needs[action]}
              value={parent[action] ?? NONE}
              onChange={(right) => set({ ...parent, [action]: right === NONE ? null : right })}
              options={RIGHT_OPTIONS}
            />
          ))}
          <Select
            label={TEXTS.onDelete}
            value={parent.onDelete}
            onChange={(onDelete) => set({ ...parent, onDelete })}
            options={ON_DELETE}
          />
        </div>
      )}
    </Section>
  );
}
