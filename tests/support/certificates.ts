import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate and its key, as texts and as files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A private certificate authority. */
export interface Authority extends Certificate {
  /** Issues a certificate with a common name, also valid for these host names and addresses. */
  issue(name: string, alternatives?: readonly string[]): Certificate;
}

const openssl = (folder: string, args: readonly string[]) =>
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function read(folder: string, file: string): Certificate {
  const [certFile, keyFile] = [join(folder, `${file}.pem`), join(folder, `${file}.key`)];
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8'), certFile, keyFile };
}

/** Creates a private authority with its files in a folder. */
export function createAuthority(folder: string, name: string): Authority {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  openssl(folder, ['req', '-x509', ...NEW_KEY, '-days', '2', '-subj', `/CN=${name}`, ...files]);
  let count = 0;
  return {
    ...read(folder, name),
    issue(commonName, alternatives = []) {
      const file = `${name}-${++count}`;
      const request = ['-keyout', `${file}.key`, '-out', `${file}.csr`];
      openssl(folder, ['req', ...NEW_KEY, '-subj', `/CN=${commonName}`, ...request]);
      const extensions = alternatives.length === 0 ? '' : `subjectAltName=${alternatives.join(',')}\n`;
      writeFileSync(join(folder, `${file}.ext`), extensions);
      const signing = ['-CA', `${name}.pem`, '-CAkey', `${name}.key`, '-CAcreateserial', '-extfile', `${file}.ext`];
      openssl(folder, ['x509', '-req', '-in', `${file}.csr`, '-days', '2', ...signing, '-out', `${file}.pem`]);
      return read(folder, file);
    },
  };
}
