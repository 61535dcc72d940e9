const WEB = /^https?:\/\/[^/?#@\s]+$/;
/** An Android app: the SHA-256 of its certificate, base64url. */
const ANDROID = /^android:apk-key-hash:[\w-]{43}$/;

const isOrigin = (text: string) =>
  ANDROID.test(text) || (WEB.test(text) && URL.canParse(text) && new URL(text).origin === text);

/** Origins separated by commas; null when one is not valid. */
export function parseOrigins(text: string): string[] | null {
  const origins = text.split(',').map((origin) => origin.trim());
  return origins.every(isOrigin) ? origins : null;
}
