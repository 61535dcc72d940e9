import { Type } from 'typebox';
import { NullableText, OneOf, OptionalText, Wire } from './common.ts';

/** For the OpenAPI document only: invalid messages have their own error codes. */
const payload = {
  message: Type.String({ description: 'The displayed text' }),
  custom: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Data for the app' })),
  badge: Type.Optional(Type.Integer({ minimum: 0 })),
  sound: Type.Optional(Type.String()),
  collapse_key: OptionalText('Devices show only the last notification with the same key'),
  time_to_live: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_419_200, description: 'Seconds' })),
};
export const PushMessage = Type.Object(payload);
export const PushToUsersMessage = Type.Object({ ...payload, users: Type.Array(Type.String()) });

const Os = OneOf(['android', 'ios']);
const Counts = Type.Record(Type.String(), Type.Integer());

export const PushState = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    created: Wire.date,
    expires: Wire.date,
    counts: Type.Object({ android: Counts, ios: Counts }, { description: 'Devices by platform and state' }),
    devices: Type.Array(
      Type.Object({
        user: NullableText(),
        os: Os,
        state: Type.String(),
        attempts: Type.Integer(),
        reason: NullableText(),
        device: OptionalText('For administrators'),
      }),
    ),
  },
  { title: 'PushState' },
);

export const ListedPush = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    sender: NullableText(),
    message: Type.String(),
    created: Wire.date,
    expires: Wire.date,
  },
  { title: 'ListedPush' },
);

export const DeviceParams = Type.Object({ os: Os, token: Type.String() });
