interface Metadata {
  readonly format?: string;
  readonly width?: number;
  readonly height?: number;
  readonly isPalette?: boolean;
}

/** Subset of sharp's API that is used. The build must work without sharp, and so without its types. */
interface Pipeline {
  metadata(): Promise<Metadata>;
  autoOrient(): Pipeline;
  resize(width: number, height: number, options: { fit: 'fill' }): Pipeline;
  toFormat(format: string, options: Readonly<Record<string, number | boolean>>): Pipeline;
  toBuffer(): Promise<Uint8Array>;
}

export interface Sharp {
  (bytes: Uint8Array, options: Readonly<Record<string, number | string | boolean>>): Pipeline;
  cache(isOn: boolean): unknown;
}

/** Imports sharp. Resolves to null if it is not installed or does not run. */
export async function importSharp(): Promise<Sharp | null> {
  // Not a literal, so that the compiler does not resolve it.
  const name: string = 'sharp';
  try {
    const { default: sharp } = (await import(name)) as { default: Sharp };
    return sharp;
  } catch {
    return null;
  }
}
