const PLACEHOLDERS = [
  'link',
  'user_name',
  'group_name',
  'token',
  'code',
  'email',
  'application_name',
  'application_url',
  'error',
  'message',
  'password',
  'repeat_password',
  'event',
  'time',
  'network',
  'client',
  'more',
] as const;

type Placeholder = (typeof PLACEHOLDERS)[number];

const PLACEHOLDER = new RegExp(`\\$(${PLACEHOLDERS.join('|')})\\$`, 'g');

export type TemplateValues = Partial<Readonly<Record<Placeholder, string>>>;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

/** Replaces each `$name$` by its value. Names without a value become empty; other dollar signs stay. */
function fill(template: string, values: TemplateValues, encode: (text: string) => string): string {
  return template.replace(PLACEHOLDER, (_match, name: Placeholder) => encode(values[name] ?? ''));
}

/** Fills a template and escapes the values, so that none of them can become markup. */
export const fillHtml = (template: string, values: TemplateValues) => fill(template, values, escapeHtml);

export const fillText = (template: string, values: TemplateValues) => fill(template, values, (text) => text);
