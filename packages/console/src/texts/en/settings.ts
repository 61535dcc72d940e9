export const settings = {
  title: 'Settings',
  about: 'Changes take effect immediately on all nodes.',
  sections: 'Sections',
  saveOf: (key: string) => `Save ${key}`,
  secret: 'Set, but hidden. Enter a new value to replace it, or leave it empty to remove it.',
  unset: 'Not set.',
  on: 'On',
  off: 'Off',
};
