/** Less is no burden. Also, what others lend us in views of a whole buffer (a parser its look-behind) is shorter. Bytes. */
const WORTHWHILE = 4096;

/**
 * Gives back the memory of a piece now: it has no bytes afterwards, and whoever calls this must be the last to use it.
 * Otherwise its memory stays until garbage is collected, and that is only when some 64 MiB of buffers have gathered.
 * Each collection then looks through all that the process holds: at full speed that takes more time than moving the
 * bytes. A piece of something larger is left alone.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < WORTHWHILE || buffer.byteLength !== byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
