export const settings = {
  title: 'Settings',
  about: 'Changes take effect at once on every node.',
  sections: 'Sections',
  saveOf: (key: string) => `Save ${key}`,
  secret: 'Set, and not shown. Enter another value to replace it, or nothing to remove it.',
  unset: 'Not set.',
  on: 'On',
  off: 'Off',
};
