export { createTotp } from './totp.ts';
