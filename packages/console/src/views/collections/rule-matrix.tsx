import type { Rules } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { Table } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';

const TEXTS = texts.collections.rules;
export const ACTIONS = ['create', 'read', 'update', 'delete'] as const;
/** Always has all permissions. */
const ADMINISTRATOR = 'administrator';
/** Anonymous users can only be allowed to read. */
const ANONYMOUS = 'anonymous';

/** Default rules of a new collection. */
export const FIRST_RULES: Rules = { create: ['registereduser'], read: [], update: [], delete: [] };

interface RuleMatrixProps {
  readonly roles: readonly string[];
  readonly rules: Rules;
  readonly onChange: (rules: Rules) => void;
}

/** A table of roles and their permissions on all documents. */
export function RuleMatrix({ roles, rules, onChange }: RuleMatrixProps): ReactNode {
  const named = ACTIONS.flatMap((action) => rules[action]);
  const shown = [...new Set([...roles.filter((role) => role !== ADMINISTRATOR), ...named])];
  return (
    <Table label={TEXTS.title}>
      <thead>
        <tr>
          <th scope="col">{texts.users.role}</th>
          {ACTIONS.map((action) => (
            <th key={action} scope="col">
              {TEXTS.actions[action]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((role) => (
          <tr key={role}>
            <th scope="row">{role}</th>
            {ACTIONS.map((action) => (
              <td key={action}>
                <input
                  type="checkbox"
                  aria-label={TEXTS.allow(TEXTS.actions[action], role)}
                  checked={rules[action].includes(role)}
                  disabled={role === ANONYMOUS && action !== 'read'}
                  onChange={({ target }) =>
                    onChange({
                      ...rules,
                      [action]: target.checked
                        ? [...rules[action], role]
                        : rules[action].filter((other) => other !== role),
                    })
                  }
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
