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
  type ImageSource,
  type ResizedImage,
  type ResizeRequest,
  type Resizing,
  type ResizingLimits,
} from './resizing.ts';
