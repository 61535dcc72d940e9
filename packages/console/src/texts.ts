import { type Language, language } from './language.ts';

type Texts = typeof import('./texts/en/index.ts')['texts'];

/** Each language is loaded by those who read it. Its chunk must import nothing of the page, which waits for it. */
const LOADERS: Readonly<Record<Language, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('./texts/en/index.ts'),
  de: () => import('./texts/de/index.ts'),
};

/** Every text of the console, in the language of the page. */
export const { texts } = await LOADERS[language]();
