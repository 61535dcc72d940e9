import type { PageStorage } from './page-storage.ts';

/** Time for other tabs to answer, in milliseconds. */
const ANSWER_MS = 150;

type Kept = Readonly<Record<string, string>>;
type Message = { readonly kind: 'ask' } | { readonly kind: 'answer'; readonly kept: Kept };

interface OtherTabsOptions {
  /** Address of the server. Consoles of other servers do not answer. */
  readonly url: string;
  readonly storage: PageStorage;
  /** Keys of the session and what belongs to it. The first one marks a session. */
  readonly keys: readonly [session: string, ...others: string[]];
}

/**
 * Takes over the session of another tab, unless this one has its own, and gives it to tabs that ask later. Only pages
 * of this origin receive the messages. The session is still forgotten when the last tab closes.
 */
export async function joinOtherTabs({ url, storage, keys }: OtherTabsOptions): Promise<void> {
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(`baobab-console:${url}`);
  const post = (message: Message) => channel.postMessage(message);
  const [session] = keys;

  function answer(): void {
    const kept = keys.flatMap((key) => {
      const value = storage.getItem(key);
      return value === null ? [] : [[key, value] as const];
    });
    if (storage.getItem(session) !== null) post({ kind: 'answer', kept: Object.fromEntries(kept) });
  }

  function adopt(kept: Kept): void {
    for (const key of keys) if (kept[key] !== undefined) storage.setItem(key, kept[key]);
  }

  if (storage.getItem(session) === null) {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, ANSWER_MS);
      channel.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.kind !== 'answer') return;
        adopt(data.kept);
        resolve();
      };
      post({ kind: 'ask' });
    });
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'ask') answer();
  };
}
