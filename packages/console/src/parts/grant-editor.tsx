import type { CallOptions, Grantees, Grants, Principal, Right } from '@baobab/client';
import { Share2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts.ts';
import { useAction, useLoad } from '../use-load.ts';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';
import { Field, Select } from './field.tsx';
import { RowAction } from './row-action.tsx';
import { SmallTable } from './small-table.tsx';
import { Loading, Section } from './view.tsx';

const TEXTS = texts.documents;
const RIGHTS: readonly Right[] = ['read', 'update', 'delete', 'all'];
const KINDS = ['user', 'role', 'group'] as const;

type Kind = (typeof KINDS)[number];

interface Grant {
  readonly right: Right;
  readonly kind: Kind;
  readonly name: string;
}

function principalOf({ kind, name }: Pick<Grant, 'kind' | 'name'>): Principal {
  if (kind === 'user') return { user: name };
  return kind === 'role' ? { role: name } : { group: name };
}

const granteesOf = (right: Right, { users = [], roles = [], groups = [] }: Grantees): Grant[] => [
  ...users.map((name) => ({ right, kind: 'user' as const, name })),
  ...roles.map((name) => ({ right, kind: 'role' as const, name })),
  ...groups.map((name) => ({ right, kind: 'group' as const, name })),
];

const listOf = (grants: Grants | null): Grant[] =>
  grants === null ? [] : RIGHTS.flatMap((right) => granteesOf(right, grants[right] ?? {}));

/** Calls for the grants of documents or files. */
interface GrantCalls {
  grants(id: string, options?: CallOptions): Promise<Grants | null>;
  grant(id: string, right: Right, to: Principal): Promise<void>;
  revoke(id: string, right: Right, from: Principal): Promise<void>;
}

interface GrantEditorProps {
  readonly calls: GrantCalls;
  /** Collection of the document, or `files`. */
  readonly of: string;
  readonly id: string;
  /** Shown if there are no grants. */
  readonly none: string;
}

/** Displays and edits the grants of a document or file. */
export function GrantEditor({ calls, of, id, none }: GrantEditorProps): ReactNode {
  const loaded = useLoad(['grants', of, id], async (signal) => listOf(await calls.grants(id, { signal })));
  const [right, setRight] = useState<Right>('read');
  const [kind, setKind] = useState<Kind>('user');
  const [name, setName] = useState('');
  const { isBusy, error, run } = useAction(loaded.reload);
  return (
    <Section title={TEXTS.grants}>
      <Loading loaded={loaded}>
        {(grants) => (
          <GrantTable
            grants={grants}
            none={none}
            isBusy={isBusy}
            onRevoke={(grant) => run(() => calls.revoke(id, grant.right, principalOf(grant)))}
          />
        )}
      </Loading>
      <form
        className="row bottom"
        onSubmit={(event) => {
          event.preventDefault();
          return run(async () => {
            await calls.grant(id, right, principalOf({ kind, name: name.trim() }));
            setName('');
          });
        }}
      >
        <Select
          label={TEXTS.right}
          value={right}
          onChange={setRight}
          options={RIGHTS.map((one) => [one, TEXTS.rights[one]])}
        />
        <Select
          label={TEXTS.kind}
          value={kind}
          onChange={setKind}
          options={KINDS.map((one) => [one, TEXTS.kinds[one]])}
        />
        <Field label={TEXTS.grantee} value={name} onChange={setName} required={true} autoComplete="off" />
        <Button type="submit" icon={Share2} disabled={isBusy}>
          {TEXTS.grant}
        </Button>
      </form>
      <Failure error={error} />
    </Section>
  );
}

interface GrantTableProps {
  readonly grants: readonly Grant[];
  readonly none: string;
  readonly isBusy: boolean;
  readonly onRevoke: (grant: Grant) => unknown;
}

function GrantTable({ grants, none, isBusy, onRevoke }: GrantTableProps): ReactNode {
  if (grants.length === 0) return <p className="muted">{none}</p>;
  return (
    <SmallTable label={TEXTS.grants} heads={[TEXTS.right, TEXTS.kind, texts.name, null]}>
      {grants.map((grant) => (
        <tr key={`${grant.right} ${grant.kind} ${grant.name}`}>
          <td>{TEXTS.rights[grant.right]}</td>
          <td>{TEXTS.kinds[grant.kind]}</td>
          <td>{grant.name}</td>
          <td className="tools">
            <RowAction
              label={TEXTS.revokeOf(grant.right, grant.kind, grant.name)}
              isBusy={isBusy}
              act={() => onRevoke(grant)}
            >
              {TEXTS.revoke}
            </RowAction>
          </td>
        </tr>
      ))}
    </SmallTable>
  );
}
