/** Incompressible bytes without repetitions: the output of a linear congruential generator. */
export async function* noise(size: number, { seed = 1, piece = 65_536 } = {}): AsyncGenerator<Uint8Array> {
  let state = seed >>> 0;
  for (let sent = 0; sent < size; ) {
    const length = Math.min(piece, size - sent);
    const words = new Uint32Array(Math.ceil(length / 4));
    for (let at = 0; at < words.length; at++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      words[at] = state;
    }
    yield new Uint8Array(words.buffer, 0, length);
    sent += length;
  }
}

export async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces);
}

export async function* textBytes(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
