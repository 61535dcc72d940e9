import type { parts as en } from '../en/parts.ts';

export const parts: typeof en = {
  copy: 'Kopieren',
  copyOf: (what) => `${what} kopieren`,
  copied: 'Kopiert',
  selected: 'Der Browser erlaubt hier kein Kopieren. Der Text ist markiert: Drücken Sie Strg+C.',
  once: 'Dies wird nur jetzt gezeigt. Speichern Sie es dort, wo Ihr Programm es findet.',
  stored: 'Ich habe es gespeichert',
  progress: (name) => `Fortschritt von ${name}`,
  preview: 'Vorschau',
  noPreview: 'Dateien dieser Art werden hier nicht gezeigt. Sie können sie herunterladen.',
  tooLarge: (most) => `Dateien mit mehr als ${most} werden hier nicht gezeigt. Sie können sie herunterladen.`,
  size: 'Größe',
  original: 'Original',
  fit: 'Höchstens 1000 Pixel',
  dimensions: (width, height, bytes) => `${width} × ${height} Pixel, ${bytes}`,
  load: { audio: 'Ton laden', video: 'Video laden' },
  beginning: (bytes) => `Die ersten ${bytes}:`,
  unreadable: 'Der Browser kann diese Datei nicht zeigen.',
  download: 'Herunterladen',
};
