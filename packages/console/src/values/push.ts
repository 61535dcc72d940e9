import type { PushMessage } from '@baobab/client';
import type { JsonObject } from './json.ts';

/** A notification as entered in the form. */
export interface Draft {
  readonly text: string;
  readonly sound: string;
  readonly badge: string;
  readonly collapseKey: string;
  readonly timeToLive: string;
}

export const EMPTY_DRAFT: Draft = { text: '', sound: '', badge: '', collapseKey: '', timeToLive: '' };

/** Returns true for an empty text or a non-negative integer. */
export const isCount = (text: string): boolean => /^\d{0,9}$/.test(text);

/** Empty members are omitted. */
export function messageOf(draft: Draft, custom: JsonObject): PushMessage {
  const { text, sound, badge, collapseKey, timeToLive } = draft;
  return {
    message: text,
    ...(Object.keys(custom).length === 0 ? {} : { custom }),
    ...(badge === '' ? {} : { badge: Number(badge) }),
    ...(sound === '' ? {} : { sound }),
    ...(collapseKey === '' ? {} : { collapse_key: collapseKey }),
    ...(timeToLive === '' ? {} : { time_to_live: Number(timeToLive) }),
  };
}

/** Returns the distinct names in a list separated by commas or line breaks. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,\n]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];
