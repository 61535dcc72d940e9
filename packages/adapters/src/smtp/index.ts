export { checkMailServer, type SmtpOptions, smtpMailer } from './mailer.ts';
export { SMTP_SETTINGS } from './settings.ts';
