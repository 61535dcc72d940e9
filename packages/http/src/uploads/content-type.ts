import type { TypeEvidence } from '@baobab/core';

/** Size of the sample for detecting a file's type, in bytes. */
const SAMPLE = 4_100;

/**
 * True for bytes that never occur in text (WHATWG MIME Sniffing, "binary data byte"): below U+0020 except TAB, LF, FF,
 * CR, ESC.
 */
const isBinary = (byte: number) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);

const PDF = 'application/pdf';
const PDF_HEADER = '%PDF-';
/** Readers accept bytes before the header (ISO 32000-1, annex H.3), and some generators and gateways add them. */
const PDF_HEADER_WITHIN = 1_024;

async function detect(sample: Buffer): Promise<string | null> {
  const { fileTypeFromBuffer } = await import('file-type'); // lazy, for a fast start
  try {
    const mime = (await fileTypeFromBuffer(sample))?.mime;
    return mime?.split(';', 1)[0]?.toLowerCase() ?? null;
  } catch {
    return null; // it has a signature but is malformed after it
  }
}

/** Passes bytes through unchanged and detects their type from the first ones. */
export function watchContentType(bytes: AsyncIterable<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  let sampled = 0;

  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      if (sampled < SAMPLE) {
        const part = Uint8Array.from(chunk.subarray(0, SAMPLE - sampled)); // a chunk is valid only until the next
        chunks.push(part);
        sampled += part.length;
      }
      yield chunk;
    }
  }

  /** Returns the evidence for the file's type once its bytes are read. */
  async function evidence(declared: string, fileName: string): Promise<TypeEvidence> {
    const { lookup } = await import('mime-types'); // lazily, as above
    const named = lookup(fileName) || null;
    const sample = Buffer.concat(chunks);
    const start = sample.subarray(0, PDF_HEADER_WITHIN + PDF_HEADER.length - 1);
    const isPdf = (declared === PDF || named === PDF) && start.includes(PDF_HEADER);
    const detected = isPdf ? PDF : await detect(sample);
    return { declared, detected, named, isText: !sample.some(isBinary) };
  }

  return { bytes: watched(), evidence };
}
