const INT8 = 20;
const JSON_TYPE = 114;

/** Eight-byte integers are numbers, since none is too large to be exact. Parameters of type `json` are JSON texts. */
export const TYPES = {
  bigint: { to: INT8, from: [INT8], parse: Number, serialize: String },
  json: { to: JSON_TYPE, from: [JSON_TYPE], parse: String, serialize: String },
};
