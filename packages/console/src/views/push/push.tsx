import { type ReactNode, useState } from 'react';
import type { ViewOfPlaceProps } from '../../frame.tsx';
import { Field } from '../../parts/field.tsx';
import { View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { Compose } from './compose.tsx';
import { Deliveries } from './deliveries.tsx';

const TEXTS = texts.push;

/** Writes notifications, or shows what became of one. */
export function Push({ place }: ViewOfPlaceProps): ReactNode {
  const [, id] = place.path;
  const { to = '' } = place.query;
  if (id !== undefined) return <Deliveries key={id} id={id} />;
  return (
    <View title={TEXTS.title}>
      <Compose to={to} />
      <LookUp />
    </View>
  );
}

function LookUp(): ReactNode {
  const [id, setId] = useState('');
  return (
    <section className="card" aria-label={TEXTS.find}>
      <h2>{TEXTS.find}</h2>
      <p className="dim">{TEXTS.kept}</p>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          go(['push', id.trim()]);
        }}
      >
        <Field label={TEXTS.id} value={id} onChange={setId} required={true} autoComplete="off" />
        <button type="submit">{TEXTS.open}</button>
      </form>
    </section>
  );
}
