/** The formats that can be resized; an image keeps its format. */
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
   * Format and size of the image as people see it, with the orientation of its EXIF data applied. Reads the header and
   * decodes nothing; a truncated image is detected already where its structure shows it.
   *
   * @throws `image.unreadable` when it has none of the formats, is truncated or inconsistent; `image.too_large`
   *   when it has more pixels than this adapter may decode
   */
  inspect(bytes: Uint8Array): ImageInfo;
  /**
   * The image with exactly this many pixels, upright, in its own format, without metadata; of an animation the first
   * frame. Runs off the event loop. The adapter takes ownership of `bytes`.
   *
   * @throws as `inspect`, before anything is decoded; `image.unreadable` also when decoding fails or needs too much time
   *   or memory; `image.busy` when it could not be started
   */
  resize(bytes: Uint8Array, size: ImageSize): Promise<Uint8Array>;
  /** Stops the threads; afterwards `resize` throws `image.busy`. */
  close(): Promise<void>;
}
