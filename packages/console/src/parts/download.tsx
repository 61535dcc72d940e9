import { Download as DownloadIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { useAction } from '../use-load.ts';
import { saveAs } from './blobs.ts';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';

interface DownloadProps {
  readonly name: string;
  readonly load: (signal: AbortSignal) => Promise<Response>;
}

/** Saves a stored file. The session is sent in a header, so a plain link would not work. */
export function Download({ name, load }: DownloadProps): ReactNode {
  const { isBusy, error, run } = useAction();
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  async function save(): Promise<void> {
    controller.current = new AbortController();
    saveAs(name, await (await load(controller.current.signal)).blob());
  }

  return (
    <>
      <Button icon={DownloadIcon} disabled={isBusy} onClick={() => run(save)}>
        {texts.parts.download}
      </Button>
      <Failure error={error} />
    </>
  );
}
