import { createArgon2Passwords } from '@baobab/adapters/argon2';
import { createTotp } from '@baobab/adapters/otpauth';
import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import { createWebAuthn } from '@baobab/adapters/webauthn';
import { createCommonPasswords } from '@baobab/adapters/zxcvbn';
import { clockContract } from '@baobab/contracts/clock';
import { commonPasswordsContract } from '@baobab/contracts/common-passwords';
import { passwordsContract } from '@baobab/contracts/passwords';
import { secretsContract } from '@baobab/contracts/secrets';
import { totpContract } from '@baobab/contracts/totp';
import { webAuthnContract } from '@baobab/contracts/webauthn';

passwordsContract('argon2', ({ maxWaiting } = { maxWaiting: 100 }) =>
  createArgon2Passwords({ memoryCost: 1024, timeCost: 1, concurrency: 1, maxWaiting }),
);
commonPasswordsContract('zxcvbn-ts', createCommonPasswords);
secretsContract('node', createNodeSecrets);
totpContract('otpauth', createTotp);
webAuthnContract('SimpleWebAuthn', createWebAuthn);
clockContract('system', createSystemClock());
