import { createArgon2Passwords } from '@baobab/adapters/argon2';
import { createLogAuditSink } from '@baobab/adapters/audit-log';
import { createMemoryAudit } from '@baobab/adapters/memory';
import { createTotp } from '@baobab/adapters/otpauth';
import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import { createWebAuthn } from '@baobab/adapters/webauthn';
import { createCommonPasswords } from '@baobab/adapters/zxcvbn';
import { auditContract } from '@baobab/contracts/audit';
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
auditContract('memory', async () => {
  const sink = createMemoryAudit();
  return { sink, kept: () => sink.events };
});
auditContract('log', async () => {
  // As a log does: lines of JSON.
  const lines: string[] = [];
  const sink = createLogAuditSink({ info: (bindings) => lines.push(JSON.stringify(bindings)) });
  return {
    sink,
    kept: () =>
      lines.map((line) => {
        const { audit } = JSON.parse(line);
        return { ...audit, at: Date.parse(audit.at) };
      }),
  };
});
