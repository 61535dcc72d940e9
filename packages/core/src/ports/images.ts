/** Formats that can be resized. An image keeps its format. */
export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp';

export interface ImageSize {
  /** Pixels, at least 1. */
  readonly width: number;
  readonly height: number;
}

export interface ImageInfo extends ImageSize {
  readonly format: ImageFormat;
}

export interface Images {
  /**
   * Returns the format and the displayed size of the image, with its EXIF orientation applied. Reads the header and
   * decodes nothing. Detects a truncated image if its structure shows it.
   *
   * @throws `image.unreadable` if it has none of the formats, is truncated or inconsistent; `image.too_large` if it has
   * more pixels than this adapter may decode
   */
  inspect(bytes: Uint8Array): ImageInfo;
  /**
   * Returns the image with exactly this many pixels, upright, in its own format, without metadata. Uses the first frame
   * of an animation. Runs off the event loop. The adapter takes ownership of `bytes`.
   *
   * @throws as `inspect`, before anything is decoded; `image.unreadable` also if decoding fails or needs too much time
   * or memory; `image.busy` if it could not be started
   */
  resize(bytes: Uint8Array, size: ImageSize): Promise<Uint8Array>;
  /** Stops the threads; afterwards `resize` throws `image.busy`. */
  close(): Promise<void>;
}
