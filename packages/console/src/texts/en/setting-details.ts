/** Descriptions and tests of settings. */
export const settingDetails = {
  expected: (expected: string) => `Takes ${expected}.`,
  initial: (value: string) => `Default: ${value}`,
  initialEmpty: 'Default: empty',
  initialLong: 'Default: a template of several lines.',
  revert: 'Use the default',
  revertOf: (key: string) => `Use the default of ${key}`,
  test: 'Test these settings',
  check: 'Check now',
  pushToMe: 'Send a notification to me',
  environment: 'Environment',
  environmentAbout:
    'The variables with which the service was started. They cannot be changed while it runs, and secrets are not shown.',
  variable: 'Variable',
  value: 'Value',
  unset: 'default',
  set: 'set',
  source: 'From',
  meaning: 'Meaning',
};
