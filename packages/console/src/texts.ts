import { type Language, language } from './language.ts';

type Texts = typeof import('./texts/en/index.ts')['texts'];

/**
 * Loads only the chosen language. These modules must not import modules of the page: the page waits for them, so that
 * would be a deadlock.
 */
const LOADERS: Readonly<Record<Language, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('./texts/en/index.ts'),
  de: () => import('./texts/de/index.ts'),
};

/** All texts of the console, in the language of the page. */
export const { texts } = await LOADERS[language]();
