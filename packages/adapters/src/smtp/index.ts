export { createSmtpMailer, type SmtpOptions } from './mailer.ts';
