import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { Loading } from '../../parts/view.tsx';
import { useGoInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction, useLoad } from '../../use-load.ts';
import { editedOf, FIRST_RULES } from '../../values/rules.ts';
import { type BuiltField, schemaOf } from '../../values/schema-builder.ts';
import { FieldBuilder } from './field-builder.tsx';
import { RuleMatrix } from './rule-matrix.tsx';

const TEXTS = texts.collections;
const FIRST_ROLES = editedOf(FIRST_RULES).roles;

interface NewCollectionProps {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** Creates a collection with its fields and rules. */
export function NewCollection({ onClose, onCreated }: NewCollectionProps): ReactNode {
  const { admin } = useService().client;
  const goInstead = useGoInstead();
  const roles = useLoad(['roles'], (signal) => admin.roles.list({ signal }));
  const [name, setName] = useState('');
  const [fields, setFields] = useState<readonly BuiltField[]>([]);
  const [allowed, setAllowed] = useState(FIRST_ROLES);
  /** True if the collection was created but its schema or rules were rejected. */
  const [isCreated, setCreated] = useState(false);
  const { isBusy, error, run } = useAction();
  const named = fields.filter((field) => field.name.trim() !== '');

  async function create(): Promise<void> {
    if (!isCreated) await admin.collections.create(name);
    setCreated(true);
    if (named.length > 0) await admin.collections.setSchema(name, schemaOf(named, null));
    if (allowed !== FIRST_ROLES) await admin.collections.setRules(name, allowed);
    onCreated();
    goInstead(['collections', name]);
  }

  return (
    <FormDialog
      title={TEXTS.create}
      kind="dialog wide"
      submit={texts.create}
      isDisabled={isBusy}
      onClose={onClose}
      onSubmit={() => run(create)}
    >
      <Field
        label={texts.name}
        value={name}
        onChange={(edited) => {
          setCreated(false);
          setName(edited);
        }}
        required={true}
        autoComplete="off"
      />
      <section className="stack" aria-label={TEXTS.schema.fields}>
        <h3>{TEXTS.schema.fields}</h3>
        <p className="meta">{TEXTS.schema.fieldsAbout}</p>
        <FieldBuilder fields={fields} onChange={setFields} />
      </section>
      <details>
        <summary>{texts.rules.title}</summary>
        <div className="stack">
          <p className="meta">{texts.rules.matrix.about}</p>
          <Loading loaded={roles}>
            {(all) => <RuleMatrix roles={all.map((role) => role.name)} allowed={allowed} onChange={setAllowed} />}
          </Loading>
        </div>
      </details>
      <Failure error={error} />
    </FormDialog>
  );
}
