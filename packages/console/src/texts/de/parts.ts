import type { parts as English } from '../en/parts.ts';

export const parts: typeof English = {
  copy: 'Kopieren',
  copyOf: (what) => `${what} kopieren`,
  copied: 'Kopiert',
  selected: 'Der Browser verhindert das Kopieren. Der Text ist markiert: Drücken Sie Strg+C.',
  once: 'Jetzt kopieren: Es wird nicht noch einmal angezeigt.',
  progress: (name) => `Fortschritt von ${name}`,
  preview: 'Vorschau',
  noPreview: 'Keine Vorschau für diesen Dateityp. Sie können die Datei herunterladen.',
  tooLarge: (most) => `Keine Vorschau für Dateien über ${most}. Sie können die Datei herunterladen.`,
  size: 'Größe',
  original: 'Original',
  fit: 'Anpassen',
  dimensions: (width, height, bytes) => `${width} × ${height} Pixel, ${bytes}`,
  load: { audio: 'Abspielen', video: 'Video abspielen' },
  beginning: (bytes) => `Die ersten ${bytes}:`,
  unreadable: 'Der Browser kann diese Datei nicht anzeigen.',
  download: 'Herunterladen',
};
