import { oneLine, type SettingGroup, setting } from '@baobab/core';

export const SMTP_SETTINGS = {
  section: 'PasswordRecovery',
  settings: {
    'network.smtp.host': {
      ...setting.protected.string('', 'The mail server; mail is not sent while it is empty', oneLine),
      hostIn: (host: string) => host,
    },
    'network.smtp.port': setting.protected.integer(25, 'The port of the mail server', 1, 65_535),
    'network.smtp.ssl': setting.protected.boolean(false, 'The connection to the mail server begins with TLS'),
    'network.smtp.tls': setting.protected.boolean(false, 'The connection must be upgraded to TLS (STARTTLS)'),
    'network.smtp.authentication': setting.protected.boolean(false, 'The mail server requires a user and a password'),
    'network.smtp.user': setting.protected.string('', 'The user at the mail server', oneLine),
    'network.smtp.password': setting.protected.secret('The password at the mail server'),
  },
} as const satisfies SettingGroup;
