import { pageStorage } from './page-storage.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = 'baobab-console:theme';
const storage = pageStorage('localStorage');

const isTheme = (text: unknown): text is Theme => THEMES.some((one) => one === text);

export function storedTheme(): Theme {
  const stored = storage.getItem(STORAGE_KEY);
  return isTheme(stored) ? stored : 'system';
}

/** Sets the colors of the page. `system` follows the browser. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  storage.setItem(STORAGE_KEY, theme);
  applyTheme(theme);
}
