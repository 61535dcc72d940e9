import type { WebhookDelivery } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { KEYBOARD } from '../../parts/keyboard.ts';
import { texts } from '../../texts.ts';

/** The receiver's last response, or the reason why there was none. */
export function Outcome({ delivery: { status, body, error } }: { readonly delivery: WebhookDelivery }): ReactNode {
  return (
    <div role="status" className="stack">
      {status !== null && <div>{status}</div>}
      {error !== null && <div>{error}</div>}
      {body !== null && body !== '' && (
        <details>
          <summary>{texts.webhooks.body}</summary>
          <pre {...KEYBOARD}>{body}</pre>
        </details>
      )}
    </div>
  );
}
