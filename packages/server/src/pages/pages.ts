import type { Page } from '@baobab/http';
import { consolePage } from './console.ts';
import { guidePage } from './guide.ts';
import { homePage } from './home.ts';
import { referencePage } from './reference.ts';

export interface PagesOptions {
  /** The folder of the built guide, served at `/guide`; null: there is no such route. */
  readonly guide: string | null;
  /** The folder of the built console, served at `/console`; null: there is no such route. */
  readonly console: string | null;
  /** The application code that the pages fill in; null: users type it. */
  readonly appCode: string | null;
}

/** What the program serves to browsers, beside the interface for apps. */
export const createPages = ({ guide, console, appCode }: PagesOptions): readonly Page[] => [
  homePage,
  ...(guide === null ? [] : [guidePage(guide)]),
  ...(console === null ? [] : [consolePage(console, appCode)]),
  referencePage(appCode),
];
