const INT8 = 20;

/** Eight-byte integers are numbers here; none is too large to be exact. */
export const TYPES = { bigint: { to: INT8, from: [INT8], parse: Number, serialize: String } };
