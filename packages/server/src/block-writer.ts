import type { LineWriter } from './access-log.ts';

/**
 * Collects lines into blocks. Calling a writer for each line, or in each turn of the event loop, costs more than
 * building the lines.
 */
export function createBlockWriter(writer: LineWriter, blockLength: number): LineWriter & { flush(): void } {
  let block = '';

  function flush(): void {
    if (block === '') return;
    const full = block;
    block = '';
    writer.write(full);
  }

  return {
    write(line) {
      block += line;
      if (block.length >= blockLength) flush();
    },
    flush,
  };
}
