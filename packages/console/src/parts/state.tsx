import type { ServiceCheck } from '@baobab/client/admin';
import { CircleCheck, CircleMinus, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Badge } from './badge.tsx';
import { ICON_SIZE } from './button.tsx';

const TONES = { ok: 'ok', fault: 'danger', skipped: 'neutral' } as const;
const ICONS = { ok: CircleCheck, fault: CircleX, skipped: CircleMinus } as const;
const COLORS = { ok: 'tone-ok', fault: 'tone-danger', skipped: 'tone-muted' } as const;

/** Result of a check. */
export const State = ({ state }: { readonly state: ServiceCheck['state'] }): ReactNode => (
  <Badge tone={TONES[state]}>{texts.overview.states[state]}</Badge>
);

export function StateIcon({ state }: { readonly state: ServiceCheck['state'] }): ReactNode {
  const Icon = ICONS[state];
  return <Icon className={COLORS[state]} size={ICON_SIZE} aria-hidden={true} />;
}
