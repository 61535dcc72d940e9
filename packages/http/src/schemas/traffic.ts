import { Type } from 'typebox';

const Milliseconds = Type.Unsafe<number | null>({
  type: ['number', 'null'],
  description: 'Milliseconds, estimated; null without requests',
});

export const Traffic = Type.Object(
  {
    since: Type.String({ description: 'Since when the requests are counted' }),
    minutes: Type.Array(
      Type.Object(
        {
          time: Type.String({ description: 'When the minute began' }),
          requests: Type.Integer(),
          clientErrors: Type.Integer({ description: 'Answered with a status from 400 to 499' }),
          serverErrors: Type.Integer({ description: 'Answered with a status from 500 on' }),
          p50: Milliseconds,
          p95: Milliseconds,
        },
        { title: 'TrafficMinute' },
      ),
      { description: 'The last 60 minutes, the oldest first' },
    ),
  },
  { title: 'Traffic' },
);
