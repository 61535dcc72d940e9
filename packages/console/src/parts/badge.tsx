import type { ReactNode } from 'react';

export type Tone = 'ok' | 'danger' | 'warning' | 'neutral';

/** A status. Its text says what its color repeats. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}): ReactNode {
  return <span className={`badge ${tone}`}>{children}</span>;
}
