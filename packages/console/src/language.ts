import { pageStorage } from './page-storage.ts';

/** Languages of the console, each under its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const STORAGE_KEY = 'baobab-console:language';

export const isLanguage = (tag: string | null | undefined): tag is Language =>
  tag != null && Object.hasOwn(LANGUAGES, tag);

const languageOf = (tag: string) => tag.toLowerCase().split('-')[0] ?? '';

/** Returns the first language tag that has a catalogue; null: none. */
export function firstKnown(tags: readonly string[]): Language | null {
  for (const tag of tags) {
    const name = languageOf(tag);
    if (isLanguage(name)) return name;
  }
  return null;
}

const preferred: readonly string[] = globalThis.navigator?.languages ?? [];
const storage = pageStorage('localStorage');
const stored = storage.getItem(STORAGE_KEY);

/** Language of the page. It does not change while the page is open. */
export const language: Language = isLanguage(stored) ? stored : (firstKnown(preferred) ?? 'en');

/** Browsers also report system names that are not valid tags, such as `en-US@posix`. */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/**
 * Returns the tag for dates and numbers of a language, with the region if the browser specifies one, such as `en-GB`.
 */
export const localeIn = (tags: readonly string[], of: Language): string =>
  tags.find((tag) => languageOf(tag) === of && isTag(tag)) ?? of;

export const locale: string = localeIn(preferred, language);

/** Stores the chosen language and reloads the page. */
export function chooseLanguage(chosen: Language): void {
  storage.setItem(STORAGE_KEY, chosen);
  location.reload();
}
