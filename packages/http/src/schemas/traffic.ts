import { Type } from 'typebox';

const Milliseconds = Type.Unsafe<number | null>({
  type: ['number', 'null'],
  description: 'Milliseconds, estimated; null without requests',
});

export const Traffic = Type.Object(
  {
    since: Type.String({ description: 'Start of the measurement' }),
    minutes: Type.Array(
      Type.Object(
        {
          time: Type.String({ description: 'Start of the minute' }),
          requests: Type.Integer(),
          clientErrors: Type.Integer({ description: 'Responses with a status from 400 to 499' }),
          serverErrors: Type.Integer({ description: 'Responses with a status of 500 or above' }),
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
