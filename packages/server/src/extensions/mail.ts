import type { Letter } from '@baobab/core';
import type { ExtensionMail } from './types.ts';

const KEPT_MS = 24 * 60 * 60_000;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>');

/** Returns the mail of an extension as it is stored. */
export const letterOf = ({ userId, to, subject, text, html, topic = 'extension' }: ExtensionMail): Letter => ({
  userId,
  to,
  subject,
  text,
  html: html ?? `<p>${escaped(text)}</p>`,
  topic: `extension/${topic}`,
  expires: Date.now() + KEPT_MS,
});
