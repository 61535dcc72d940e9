import type { RuleReason, RuleTest, RuleTestRequest } from '@baobab/client/admin';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, JsonField, Select } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { parseObject } from '../../values/json.ts';
import { ACTIONS, type RuleAction } from '../../values/rules.ts';

const TEXTS = texts.rules.test;
const OPTIONS = ACTIONS.map((action) => [action, texts.rules.actions[action]] as const);
/** Creating needs no document, so it is left out where one is open. */
const OPTIONS_OF_DOCUMENT = OPTIONS.filter(([action]) => action !== 'create');

interface AccessTestProps {
  readonly collection: string;
  /** Id of the tested document; absent: the user chooses one. */
  readonly document?: string;
}

interface TestedAccess {
  readonly user: string;
  readonly action: RuleAction;
  readonly document: string | undefined;
}

/** Tests if a user can do something with a document, and says why. */
export function AccessTest({ collection, document: fixed }: AccessTestProps): ReactNode {
  const { collections } = useService().client.admin;
  const [user, setUser] = useState('');
  const [action, setAction] = useState<RuleAction>('read');
  const [id, setId] = useState('');
  const [hasContent, setHasContent] = useState(false);
  const [text, setText] = useState('{}');
  const [result, setResult] = useState<{ readonly asked: TestedAccess; readonly test: RuleTest } | null>(null);
  const { isBusy, error, run } = useAction();
  const isCreating = action === 'create';
  const sendsContent = isCreating || (action === 'update' && hasContent);
  const parsed = parseObject(text);

  async function test(): Promise<void> {
    setResult(null);
    const asked = { user: user.trim(), action, document: isCreating ? undefined : (fixed ?? id.trim()) };
    const request: RuleTestRequest = {
      user: asked.user === '' ? null : asked.user,
      action,
      ...(asked.document !== undefined && { document: asked.document }),
      ...(sendsContent && 'value' in parsed && { content: parsed.value }),
    };
    setResult({ asked, test: await collections.testRules(collection, request) });
  }

  return (
    <Section title={TEXTS.title} about={TEXTS.about}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          return run(test);
        }}
      >
        <div className="row bottom">
          <Field label={TEXTS.user} about={TEXTS.userAbout} value={user} onChange={setUser} autoComplete="off" />
          <Select
            label={TEXTS.action}
            value={action}
            onChange={setAction}
            options={fixed === undefined ? OPTIONS : OPTIONS_OF_DOCUMENT}
          />
          {fixed === undefined && !isCreating && (
            <Field label={TEXTS.document} value={id} onChange={setId} required={true} autoComplete="off" />
          )}
        </div>
        {action === 'update' && (
          <label className="check">
            <input type="checkbox" checked={hasContent} onChange={({ target }) => setHasContent(target.checked)} />
            {TEXTS.withContent}
          </label>
        )}
        {sendsContent && (
          <div className="form">
            <JsonField label={TEXTS.content} value={text} onChange={setText} />
          </div>
        )}
        <div>
          <Button type="submit" disabled={isBusy || (sendsContent && !('value' in parsed))}>
            {TEXTS.submit}
          </Button>
        </div>
        <Failure error={error} />
      </form>
      <div role="status">{result !== null && <Result {...result} />}</div>
    </Section>
  );
}

interface ResultProps {
  readonly asked: TestedAccess;
  readonly test: RuleTest;
}

function Result({ asked, test }: ResultProps): ReactNode {
  const who = asked.user === '' ? TEXTS.anonymous : asked.user;
  const action = texts.rules.actions[asked.action];
  return (
    <div className="stack">
      <p>
        <Badge tone={test.allowed ? 'ok' : 'danger'}>{test.allowed ? TEXTS.allowed : TEXTS.refused}</Badge>{' '}
        {(test.allowed ? TEXTS.can : TEXTS.cannot)(who, action)}
      </p>
      <ul className="bullets sentences">
        {test.because.map((reason) => (
          <li key={JSON.stringify(reason)}>
            {reasonText(reason, who, test.allowed)}
            {reason.document !== null && reason.document !== asked.document && (
              <>
                {' '}
                <a href={hrefOf(['collections', reason.collection, reason.document])}>
                  {reason.collection}/{reason.document}
                </a>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const RIGHTS: Readonly<Record<RuleReason['right'], string>> = { ...texts.rules.actions, ...texts.documents.rights };

/** Returns a reason in the language of the page. Messages of errors are in the language of the server. */
function reasonText(reason: RuleReason, who: string, isAllowed: boolean): string {
  const { kind, to, role = '', expression, text } = reason;
  const right = RIGHTS[reason.right];
  const { reasons } = TEXTS;
  switch (kind) {
    case 'privileged':
    case 'author':
    case 'follower':
      return reasons[kind](who);
    case 'grant':
      return to === undefined ? text : reasons[to.kind](right, to.name);
    case 'rule':
      return expression === undefined ? reasons.rule(right, role) : reasons.ruleIf(right, role, expression);
    case 'parent':
      return isAllowed ? reasons.inherited(right) : reasons.noParent;
    case 'check':
      return reasons.check(right, expression ?? '');
    case 'missing':
      return reasons.missing(right);
    case 'error':
      return text;
  }
}
