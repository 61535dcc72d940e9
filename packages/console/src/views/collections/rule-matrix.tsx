import type { ReactNode } from 'react';
import { SmallTable } from '../../parts/small-table.tsx';
import { texts } from '../../texts.ts';
import { ACTIONS, ADMINISTRATOR, ANONYMOUS, type EditedRules } from '../../values/rules.ts';

const TEXTS = texts.rules;

interface RuleMatrixProps {
  readonly roles: readonly string[];
  readonly allowed: EditedRules['roles'];
  readonly onChange: (allowed: EditedRules['roles']) => void;
}

/** A table of roles and their permissions on all documents. */
export function RuleMatrix({ roles, allowed, onChange }: RuleMatrixProps): ReactNode {
  const named = ACTIONS.flatMap((action) => allowed[action]);
  const shown = [...new Set([...roles.filter((role) => role !== ADMINISTRATOR), ...named])];
  return (
    <SmallTable
      label={TEXTS.matrix.title}
      heads={[texts.users.role, ...ACTIONS.map((action) => TEXTS.actions[action])]}
    >
      {shown.map((role) => (
        <tr key={role}>
          <th scope="row">{role}</th>
          {ACTIONS.map((action) => (
            <td key={action}>
              <input
                type="checkbox"
                aria-label={TEXTS.matrix.allow(TEXTS.actions[action], role)}
                checked={allowed[action].includes(role)}
                disabled={role === ANONYMOUS && action !== 'read'}
                onChange={({ target }) =>
                  onChange({
                    ...allowed,
                    [action]: target.checked
                      ? [...allowed[action], role]
                      : allowed[action].filter((other) => other !== role),
                  })
                }
              />
            </td>
          ))}
        </tr>
      ))}
    </SmallTable>
  );
}
