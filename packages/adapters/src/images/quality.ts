/** Encoding quality of resized images in every adapter. Above 80, there is no visible difference. */
export const JPEG_QUALITY = 80;
export const WEBP_QUALITY = 80;
