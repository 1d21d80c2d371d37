import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { newSigningKey, type SigningKey } from './authentication/service-account-token.js';
import { type Certificate, selfSignedCertificate } from './http/certificate.js';
import { damagedDirectory } from './storage/data-damaged.js';
import { createFile } from './storage/durable-file.js';

/** The certificate and credentials of a server, which stay when it starts again. */
export interface Identity {
  readonly certificate: Certificate;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** Signs the tokens of ServiceAccounts. */
  readonly signingKey: SigningKey;
}

const fileName = 'identity.json';

/**
 * Returns the identity of a data directory; the first start creates it. A certificate that ends within a year is replaced.
 *
 * @throws FieldwiseError `cluster-data-damaged`
 */
export function identityOf(directory: string, newToken: () => string, now: Date): Identity {
  const found = read(path.join(directory, fileName));
  const key = found === undefined ? newSigningKey() : signingKeyOf(found.signingKey);
  const token = found?.token ?? newToken();
  const isLasting = found !== undefined && new Date(new X509Certificate(found.certificate.cert).validTo).getTime() - now.getTime() > year;
  const certificate = isLasting ? found.certificate : selfSignedCertificate(now);
  if (!isLasting) {
    const signingKey = key.privateKey.export({ type: 'pkcs8', format: 'pem' });
    fs.closeSync(createFile(directory, fileName, `${JSON.stringify({ version: 1, token, certificate, signingKey })}\n`, true));
  }
  return { certificate, token, signingKey: key };
}

const year = 365 * 24 * 3600 * 1000;

interface Stored {
  readonly token: string;
  readonly certificate: Certificate;
  /** PEM. */
  readonly signingKey: string;
}

function read(file: string): Stored | undefined {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stored = JSON.parse(text) as Stored;
    signingKeyOf(stored.signingKey);
    new X509Certificate(stored.certificate.cert);
    createPrivateKey(stored.certificate.key);
    if (typeof stored.token === 'string' && stored.token !== '') return stored;
  } catch {
    // Reported below, like a file of another form.
  }
  throw damagedDirectory(file, 'it is not the identity of a server. Without this file, the next start creates another one');
}

function signingKeyOf(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
