export {
  assertWithin,
  isFormatList,
  parseFormat,
  parseFormats,
  targetSize,
  variantOf,
} from '../settings/image-formats.ts';
export {
  createResizing,
  DEFAULT_MAX_IMAGE_PIXELS,
  DEFAULT_MAX_IMAGE_SIDE,
  DEFAULT_RESIZE_CONCURRENCY,
  type ImageSource,
  type ResizedImage,
  type ResizeRequest,
  type Resizing,
  type ResizingLimits,
} from './resizing.ts';
