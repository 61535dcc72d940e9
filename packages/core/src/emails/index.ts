export { createEmailClaims } from '../users/email-claims.ts';
export { createEmails, type Emails } from './emails.ts';
export { createLoginCodes, type LoginCodes } from './login-codes.ts';
export { createSignUpEmails, type SignUpEmails } from './sign-up-emails.ts';
