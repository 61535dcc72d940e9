const WEB = /^https?:\/\/[^/?#@\s]+$/;
/** Origin of an Android app: the SHA-256 of its certificate in base64url. */
const ANDROID = /^android:apk-key-hash:[\w-]{43}$/;

const isOrigin = (text: string) =>
  ANDROID.test(text) || (WEB.test(text) && URL.canParse(text) && new URL(text).origin === text);

/** Parses comma-separated origins. Returns null if one is invalid. */
export function parseOrigins(text: string): readonly string[] | null {
  const origins = text.split(',').map((origin) => origin.trim());
  return origins.every(isOrigin) ? origins : null;
}
