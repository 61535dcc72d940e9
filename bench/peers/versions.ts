/** The programs that are measured beside ours. Pinned here and nowhere else. */
export const VERSIONS = {
  pocketbase: 'v0.39.2',
  parseServer: '9.10.0',
  parseFiles: '3.0.0',
} as const;
