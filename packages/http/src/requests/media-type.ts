/** Returns the media type of a `Content-Type` in lower case, without its parameters. Empty if there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  const [type = ''] = (contentType ?? '').split(';', 1);
  return type.trim().toLowerCase();
}
