import type { ReactNode } from 'react';
import { ExpressionField } from '../../../parts/expression-field.tsx';
import { Field } from '../../../parts/field.tsx';
import { Section } from '../../../parts/view.tsx';
import { texts } from '../../../texts.ts';
import { completeExpression, namesInCheck } from '../../../values/completion.ts';
import { CHECKED } from '../../../values/rules.ts';
import type { RulePartProps } from './rule-conditions.tsx';

const TEXTS = texts.rules.checks;

/** Expressions that writes must satisfy, with the messages of refused ones. */
export function RuleChecks({ edited, onChange, problems, paths }: RulePartProps): ReactNode {
  const { check, messages } = edited;
  return (
    <Section title={TEXTS.title} about={TEXTS.about}>
      <div className="pairs">
        {CHECKED.map((action) => (
          <div key={action} className="pair">
            <ExpressionField
              label={TEXTS.expressions[action]}
              placeholder={TEXTS.placeholders[action]}
              value={check[action]}
              onChange={(text) => onChange({ ...edited, check: { ...check, [action]: text } })}
              complete={(text, cursor) => completeExpression(text, cursor, namesInCheck(action, paths))}
              problem={problems.get(`/check/${action}`) ?? null}
            />
            <Field
              label={TEXTS.messages[action]}
              value={messages[action]}
              onChange={(text) => onChange({ ...edited, messages: { ...messages, [action]: text } })}
              problem={problems.get(`/messages/${action}`) ?? null}
              autoComplete="off"
            />
          </div>
        ))}
      </div>
    </Section>
  );
}
