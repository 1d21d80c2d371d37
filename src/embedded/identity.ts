import { createPrivateKey, X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { newSigningKey, readSigningKey, writeSigningKey } from './authentication/service-account-token.js';
import { type Certificate, selfSignedCertificate } from './http/certificate.js';
import { damagedDirectory } from './storage/data-damaged.js';
import { createFile, readIfPresent } from './storage/durable-file.js';

/** The certificate and credentials of a server, which stay when it starts again. */
export interface Identity {
  readonly certificate: Certificate;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** Signs the tokens of ServiceAccounts, as PEM. */
  readonly signingKey: string;
}

const fileName = 'identity.json';

/**
 * Returns the identity of a data directory; the first start creates it. A certificate that ends within a year is replaced.
 *
 * @throws FieldwiseError `cluster-data-damaged`
 */
export function identityOf(directory: string, newToken: () => string, now: Date): Identity {
  const found = read(path.join(directory, fileName));
  const signingKey = found?.signingKey ?? writeSigningKey(newSigningKey());
  const token = found?.token ?? newToken();
  const isLasting = found !== undefined && new Date(new X509Certificate(found.certificate.cert).validTo).getTime() - now.getTime() > year;
  const certificate = isLasting ? found.certificate : selfSignedCertificate(now);
  if (!isLasting) {
    fs.closeSync(createFile(directory, fileName, `${JSON.stringify({ version: 1, token, certificate, signingKey })}\n`, true));
  }
  return { certificate, token, signingKey };
}

const year = 365 * 24 * 3600 * 1000;

function read(file: string): Identity | undefined {
  const text = readIfPresent(file);
  if (text === undefined) return undefined;
  try {
    const stored = JSON.parse(text) as Identity;
    readSigningKey(stored.signingKey);
    new X509Certificate(stored.certificate.cert);
    createPrivateKey(stored.certificate.key);
    if (typeof stored.token === 'string' && stored.token !== '') return stored;
  } catch {
    // Reported below, like a file of another form.
  }
  throw damagedDirectory(file, 'it is not the identity of a server. Without this file, the next start creates another one');
}
