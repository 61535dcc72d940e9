export { createScore, type FullTextSearch, type Needle, needlesOf } from './matching.ts';
export { MAX_SEARCH_WORDS, parseSearchText, type SearchTerm, type SearchText } from './search-text.ts';
export type { SnippetPart } from './snippet.ts';
export {
  MAX_WORDS,
  type SearchField,
  type SearchIndex,
  storedWords,
  weightClasses,
  wordsHeader,
} from './stored-words.ts';
