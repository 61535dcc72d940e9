import { Type } from 'typebox';
import { criteriaQuery, FilePart, FreeObject, NullableText, OptionalText, pageQuery, Wire } from './common.ts';

export const FileQuery = Type.Object({
  download: OptionalText('`true`: sent as an attachment, to be saved'),
  resize: OptionalText('A size, such as 25%, <=80px or 100-200'),
  sizeId: OptionalText('The index of a size in the settings, from 0'),
});
const Document = OptionalText('The document of the files, as `<collection>/<id>`');
export const UploadQuery = Type.Object({
  document: OptionalText('The document that the file will belong to, as `<collection>/<id>`'),
});
export const FileListQuery = Type.Object({ ...pageQuery, ...criteriaQuery, document: Document });
export const FileDetailsQuery = Type.Object({
  withAcl: OptionalText('`true`: includes the grants, for callers that may change them'),
});

export const FileForm = Type.Object(
  {
    attachedData: OptionalText('An object as JSON'),
    acl: OptionalText('JSON: `{"read":{"users":[…],"roles":[…],"groups":[…]},"update":…,"delete":…,"all":…}`'),
    file: FilePart,
  },
  { title: 'FileUpload' },
);

const details = {
  id: Type.String({ format: 'uuid' }),
  fileName: Type.String(),
  contentType: Type.String(),
  contentLength: Type.Integer({ description: 'Bytes' }),
  attachedData: FreeObject,
  metadata: Type.Object({ sha256: Type.String({ description: 'SHA-256 of the bytes, hexadecimal' }) }),
  _author: NullableText('Null if the account is deleted'),
  _creation_date: Wire.date,
  document: OptionalText('The document that the file belongs to, as `<collection>/<id>`; absent for none'),
  '@version': Type.Integer({ description: 'Always 1, because files do not change' }),
};

/** Not `File`: many languages have a built-in type with that name. */
export const StoredFile = Type.Object(details, { title: 'StoredFile' });

const grantees = (right: string) =>
  Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ description: 'The name of a user or role, or the id of a group' }),
        isrole: Type.Boolean(),
        isgroup: Type.Optional(Type.Boolean()),
      }),
      { description: `With \`withAcl=true\`: grantees of the right \`${right}\`` },
    ),
  );

export const StoredFileWithGrants = Type.Object(
  {
    ...details,
    _allowRead: grantees('read'),
    _allowUpdate: grantees('update'),
    _allowDelete: grantees('delete'),
    _allow: grantees('all'),
  },
  { title: 'StoredFileWithGrants' },
);
