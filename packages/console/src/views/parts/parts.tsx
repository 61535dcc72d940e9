import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { Chart } from '../../parts/chart.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Confirm, FormDialog } from '../../parts/dialog.tsx';
import { ExpressionField } from '../../parts/expression-field.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, JsonField, Select } from '../../parts/field.tsx';
import { JsonEditor } from '../../parts/json-editor.tsx';
import { MoreMenu } from '../../parts/menu.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { toast } from '../../parts/toasts.tsx';
import { Age, ShortId, Value } from '../../parts/values.tsx';
import { EmptyState, PageTabs, Section, Skeleton, View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { completeExpression, namesInFilter } from '../../values/completion.ts';

const TEXTS = texts.parts;
/** A text longer than any column. */
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän '.repeat(6);
const ROWS: readonly { readonly id: string; readonly values: readonly unknown[] }[] = [
  { id: '0196a2c4-7c11-7000-8000-000000000001', values: [TEXTS.sample, 3, true, { a: 1 }, '2026-01-01T00:00:00Z'] },
  { id: '0196a2c4-7c11-7000-8000-000000000002', values: [LONG, -1.5e9, false, [1, 2], null] },
  { id: '0196a2c4-7c11-7000-8000-000000000003', values: ['', 0, undefined, {}, LONG] },
];
type Row = (typeof ROWS)[number];
const NAMES = ['text', 'number', 'boolean', 'object', 'date'] as const;
const COLUMNS: readonly Column<Row>[] = [
  ...NAMES.map(
    (name, index): Column<Row> => ({
      id: name,
      title: name,
      isNumber: name === 'number',
      cell: ({ values }) => <Value name={name} value={values[index]} />,
    }),
  ),
  { id: 'id', title: texts.documents.id, width: 130, cell: ({ id }) => <ShortId id={id} /> },
];
const TONES = ['neutral', 'ok', 'warning', 'danger'] as const;

/** All components of the console with ordinary and hostile content. */
export function Parts(): ReactNode {
  const [text, setText] = useState(TEXTS.sample);
  const [json, setJson] = useState('{\n  "a": 1\n}');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<'form' | 'confirm' | null>(null);
  const close = () => setShown(null);
  const entries = [
    { text: TEXTS.copy, act: () => toast(TEXTS.copied) },
    { text: texts.remove, icon: Trash2, isDanger: true, act: () => setShown('confirm') },
  ];
  return (
    <View
      title={TEXTS.gallery}
      parents={[['#/', TEXTS.sample]]}
      menu={entries}
      actions={
        <Button kind="primary" icon={Plus} onClick={() => setShown('form')}>
          {texts.create}
        </Button>
      }
      tabs={
        <PageTabs
          label={TEXTS.gallery}
          tabs={[
            { href: '#/parts', text: TEXTS.sample, isCurrent: true },
            { href: '#/overview', text: texts.overview.title, isCurrent: false },
          ]}
        />
      }
    >
      <div className="stack loose">
        <div className="row">
          <Button kind="primary">{texts.save}</Button>
          <Button onClick={() => toast(texts.saved)}>{texts.save}</Button>
          <Button kind="ghost">{texts.cancel}</Button>
          <Button kind="danger">{texts.remove}</Button>
          <Button disabled={true}>{texts.save}</Button>
          <IconButton icon={Plus} label={texts.create} />
          <MoreMenu entries={entries} />
        </div>
        <div className="row">
          {TONES.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
          <Age date="2026-01-01T00:00:00Z" />
        </div>
        <div className="form">
          <Field label={texts.name} value={text} onChange={setText} about={TEXTS.sample} />
          <Field label={texts.name} value={text} onChange={setText} problem={TEXTS.unreadable} />
          <Select label={TEXTS.size} value={text} onChange={setText} options={[[TEXTS.sample, TEXTS.sample]]} />
          <ExpressionField
            label={texts.documents.where}
            value={text}
            onChange={setText}
            complete={(typed, cursor) => completeExpression(typed, cursor, namesInFilter(NAMES))}
            problem={TEXTS.unreadable}
          />
          <JsonField label={texts.documents.content} value={json} onChange={setJson} />
          <JsonEditor label={texts.documents.content} value={json} onChange={setJson} />
          <CopyField label={texts.documents.id} value={LONG} about={TEXTS.once} />
        </div>
        <DataTable
          label={TEXTS.gallery}
          name="parts"
          columns={COLUMNS}
          rows={ROWS}
          keyOf={({ id }) => id}
          selection={{
            keys: selected,
            onChange: setSelected,
            labelOf: ({ id }) => texts.documents.bulk.select(id),
            labelOfAll: texts.documents.bulk.selectPage,
            onDelete: () => undefined,
          }}
          menuOf={() => entries}
        />
        <SmallTable label={TEXTS.sample} heads={[texts.name, [TEXTS.size]]}>
          <tr>
            <th scope="row">{TEXTS.sample}</th>
            <td className="number">1</td>
          </tr>
        </SmallTable>
        <Section title={TEXTS.preview} isCard={true}>
          <Chart
            kind="bars"
            title={TEXTS.preview}
            by={TEXTS.size}
            labels={['a', 'b', 'c']}
            series={[{ name: TEXTS.sample, values: [1, 12, 7] }]}
          />
        </Section>
        <EmptyState title={texts.collections.none} about={texts.collections.noneAbout}>
          <Button>{texts.create}</Button>
        </EmptyState>
        <Skeleton />
        <Failure error={new Error(LONG)} onRetry={() => toast(texts.retry)} />
      </div>
      {shown === 'form' && (
        <FormDialog title={texts.create} submit={texts.create} onClose={close} onSubmit={close}>
          <Field label={texts.name} value={text} onChange={setText} />
        </FormDialog>
      )}
      {shown === 'confirm' && (
        <Confirm
          title={texts.remove}
          about={LONG}
          typed={TEXTS.sample}
          act={async () => undefined}
          onDone={close}
          onClose={close}
        />
      )}
    </View>
  );
}
