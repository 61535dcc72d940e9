import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { hrefOf } from '../../address.ts';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Button } from '../../parts/button.tsx';
import { View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { Compose } from './compose.tsx';
import { Deliveries } from './deliveries.tsx';
import { Recent } from './recent.tsx';

const TEXTS = texts.push;
/** Path segment that cannot be the id of a notification. */
const NEW = 'new';

/** The list of stored notifications, a form for a new one, or the delivery status of one. */
export function Push({ place }: ViewOfPlaceProps): ReactNode {
  const [, id] = place.path;
  const { to = '' } = place.query;
  if (id === NEW || to !== '') {
    return (
      <View title={TEXTS.compose} parents={[[hrefOf(['push']), TEXTS.title]]}>
        <Compose to={to} />
      </View>
    );
  }
  if (id !== undefined) return <Deliveries key={id} id={id} />;
  return (
    <View
      title={TEXTS.title}
      isFull={true}
      actions={
        <Button kind="primary" icon={Plus} onClick={() => go(['push', NEW])}>
          {TEXTS.compose}
        </Button>
      }
    >
      <Recent />
    </View>
  );
}
