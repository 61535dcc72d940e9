export type Placeholder =
  | 'link'
  | 'user_name'
  | 'token'
  | 'application_name'
  | 'error'
  | 'message'
  | 'password'
  | 'repeat_password';

export type TemplateValues = Partial<Readonly<Record<Placeholder, string>>>;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

/** Puts values where a template says `$name$`; what it names but nobody gave is empty, other dollars stay. */
function fill(template: string, values: TemplateValues, encode: (text: string) => string): string {
  return template.replace(
    /\$(link|user_name|token|application_name|error|message|password|repeat_password)\$/g,
    (_match, name: Placeholder) => encode(values[name] ?? ''),
  );
}

/** Values are escaped: none of them can become markup. */
export const fillHtml = (template: string, values: TemplateValues) => fill(template, values, escapeHtml);

export const fillText = (template: string, values: TemplateValues) => fill(template, values, (text) => text);
