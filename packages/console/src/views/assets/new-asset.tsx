import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { FormDialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { About, Field, JsonField } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { useGoOn } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';
import { parseObject } from '../../values/json.ts';

const TEXTS = texts.assets;

export function NewAsset({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useService();
  const goOn = useGoOn();
  const fileId = useId();
  const [name, setName] = useState('');
  const [meta, setMeta] = useState('{}');
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState<number | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const { isBusy, error, run } = useAction();
  const parsed = parseObject(meta);

  async function create(): Promise<void> {
    if (!('value' in parsed)) return;
    controller.current = new AbortController();
    const { signal } = controller.current;
    const upload = file === null ? {} : { file, onProgress: (progress: { sent: number }) => setSent(progress.sent) };
    try {
      await client.admin.assets.create(name, { meta: parsed.value, signal, ...upload });
    } finally {
      setSent(null);
    }
  }

  return (
    <FormDialog
      title={TEXTS.create}
      submit={texts.create}
      isDisabled={isBusy || !('value' in parsed)}
      onClose={onClose}
      onSubmit={async () => {
        if (await run(create)) goOn(['assets', name]);
      }}
    >
      <Field label={texts.name} value={name} onChange={setName} required={true} autoComplete="off" />
      <div className="field">
        <label htmlFor={fileId}>{TEXTS.file}</label>
        <input
          id={fileId}
          type="file"
          aria-describedby={`${fileId}-about`}
          onChange={({ target }) => setFile(target.files?.item(0) ?? null)}
        />
        <About id={`${fileId}-about`} text={TEXTS.fileAbout} />
      </div>
      <JsonField label={TEXTS.meta} value={meta} onChange={setMeta} rows={4} />
      {file !== null && sent !== null && (
        <progress
          aria-label={texts.parts.progress(file.name)}
          value={Math.min(sent, file.size)}
          max={Math.max(file.size, 1)}
        />
      )}
      <Failure error={error} />
    </FormDialog>
  );
}
