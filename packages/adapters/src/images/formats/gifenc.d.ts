declare module 'gifenc' {
  type Palette = number[][];
  type Format = 'rgb565' | 'rgb444' | 'rgba4444';
  interface Encoder {
    writeFrame(
      index: Uint8Array,
      width: number,
      height: number,
      options: { palette: Palette; transparent?: boolean; transparentIndex?: number },
    ): void;
    finish(): void;
    bytes(): Uint8Array;
  }
  const gifenc: {
    GIFEncoder(): Encoder;
    quantize(pixels: Uint8Array, colours: number, options: { format: Format; oneBitAlpha?: boolean | number }): Palette;
    applyPalette(pixels: Uint8Array, palette: Palette, format: Format): Uint8Array;
  };
  export default gifenc;
}
