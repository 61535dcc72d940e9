/** Versions of the compared programs. Pinned only here. */
export const VERSIONS = {
  pocketbase: 'v0.39.2',
  parseServer: '9.10.0',
  parseFiles: '3.0.0',
} as const;
