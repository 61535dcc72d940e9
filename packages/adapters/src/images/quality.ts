/** Encoding quality of resized images in every adapter. Above 80, people see no difference. */
export const JPEG_QUALITY = 80;
export const WEBP_QUALITY = 80;
