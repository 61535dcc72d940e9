import type { SettingValues } from '../settings/catalogue.ts';
import { fillHtml, type TemplateValues } from './template.ts';

/** Page behind a link in a mail. */
export interface LinkPage {
  readonly html: string;
  /** True if the page shows an error. */
  readonly isError: boolean;
}

/** Fills a page with the name and the address of the app, and the given values. */
export function fillPage(values: SettingValues, template: string, given: TemplateValues): LinkPage {
  const application = { application_name: values['application.name'], application_url: values['application.url'] };
  return { html: fillHtml(template, { ...application, ...given }), isError: (given.error ?? '') !== '' };
}
