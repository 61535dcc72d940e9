import type { ReactNode } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { View } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { Compose } from './compose.tsx';
import { Deliveries } from './deliveries.tsx';
import { Recent } from './recent.tsx';

/** A form for notifications and the list of stored ones, or the delivery status of one. */
export function Push({ place }: ViewOfPlaceProps): ReactNode {
  const [, id] = place.path;
  const { to = '' } = place.query;
  if (id !== undefined) return <Deliveries key={id} id={id} />;
  return (
    <View title={texts.push.title}>
      <Compose to={to} />
      <Recent />
    </View>
  );
}
