import { Type } from 'typebox';
import { FilePart, NullableText, OptionalText, Wire } from './common.ts';

export const Asset = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    meta: Type.Unknown({ description: 'Any JSON; {} by default' }),
    _creation_date: Wire.date,
    _author: NullableText('Null if the user is removed'),
    fileName: Type.Optional(Type.String()),
    contentType: Type.Optional(Type.String()),
    contentLength: Type.Optional(Type.Integer({ description: 'Bytes' })),
  },
  { title: 'Asset' },
);

export const AssetBody = Type.Object(
  {
    name: Type.Optional(Type.Unknown()),
    meta: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: true },
);

/** For the OpenAPI document only, like the next two schemas. */
const name = Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$', description: 'The name in the asset’s URL' });
export const AssetJson = Type.Object(
  { name, meta: Type.Optional(Type.Unknown({ description: 'Any JSON' })) },
  { title: 'NewAsset' },
);
export const AssetFields = Type.Object({ name, meta: OptionalText('JSON') }, { title: 'NewAssetForm' });
export const AssetForm = Type.Object(
  {
    name,
    meta: OptionalText('JSON'),
    file: FilePart,
  },
  { title: 'AssetUpload' },
);

/** Bytes of any type. */
export const Bytes = {
  description: 'The bytes, with their content type',
  content: { '*/*': { schema: Type.Unknown() } },
} as const;
/** Responses of a route that serves stored bytes (`stored/serve.ts`). */
export const SERVED = { 200: Bytes, 206: Bytes, 304: Type.Null() } as const;
