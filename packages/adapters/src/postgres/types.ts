const INT8 = 20;

/** What the driver is told of types: eight-byte integers are numbers here, of which none is too large to be exact. */
export const TYPES = { bigint: { to: INT8, from: [INT8], parse: Number, serialize: String } };
