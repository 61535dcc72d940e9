import { pageStorage } from './page-storage.ts';

/** The languages of the console, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const STORAGE_KEY = 'baobab-console:language';

export const isLanguage = (tag: string | null | undefined): tag is Language =>
  tag != null && Object.hasOwn(LANGUAGES, tag);

const languageOf = (tag: string) => tag.toLowerCase().split('-')[0] ?? '';

/** The first of some language tags that the console has a catalogue for; null: none. */
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

/** The language of the page. It stays while the page is open. */
export const language: Language = isLanguage(stored) ? stored : (firstKnown(preferred) ?? 'en');

/** Browsers also have names of their system that are no tags, such as `en-US@posix`. */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** The tag for dates and numbers of a language, with the region if the browser says one, such as `en-GB`. */
export const localeIn = (tags: readonly string[], of: Language): string =>
  tags.find((tag) => languageOf(tag) === of && isTag(tag)) ?? of;

export const locale: string = localeIn(preferred, language);

/** Loads the page again in another language. */
export function chooseLanguage(chosen: Language): void {
  storage.setItem(STORAGE_KEY, chosen);
  location.reload();
}
