import type { Page } from '@baobab/http';
import { consolePage } from './console.ts';
import { guidePage } from './guide.ts';
import { homePage } from './home.ts';
import { referencePage } from './reference.ts';

export interface PagesOptions {
  /** Folder of the built guide, served at `/guide`; null disables the route. */
  readonly guide: string | null;
  /** Folder of the built console, served at `/console`; null disables the route. */
  readonly console: string | null;
  /** Application code that the pages fill in; with null, users type it. */
  readonly appCode: string | null;
}

/** Creates the pages for browsers that the program serves next to the API. */
export const createPages = ({ guide, console, appCode }: PagesOptions): readonly Page[] => [
  homePage,
  ...(guide === null ? [] : [guidePage(guide)]),
  ...(console === null ? [] : [consolePage(console, appCode)]),
  referencePage(appCode),
];
