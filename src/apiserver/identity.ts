import { createPrivateKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Certificate, selfSignedCertificate } from './http/certificate.js';
import { newSigningKey, readSigningKey, writeSigningKey } from './registry/signing-key.js';
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
export function serverIdentity(directory: string, newToken: () => string, now: Date): Identity {
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
    if (typeof stored.token === 'string' && stored.token !== '' && isWhole(stored)) return stored;
  } catch {
    // Reported below, like a file of another form.
  }
  throw damagedDirectory(file, 'the file is not the identity of a server', next);
}

const next =
  'Restore the file from a copy, or remove it: the next start creates another identity, and clients then need the kubeconfig that it prints.';

/** Returns true if keys and certificate belong together: a damaged key can still be read. @throws Error if one cannot be read */
function isWhole({ certificate: { cert, key }, signingKey }: Identity): boolean {
  const certificate = new X509Certificate(cert);
  const { privateKey, publicKey } = readSigningKey(signingKey);
  const { publicKey: certified } = certificate;
  return certificate.verify(certified) && isPair(createPrivateKey(key), certified) && isPair(privateKey, publicKey);
}

/** The file of a private key has its public key, too, which the other parts are not compared with when it is read. */
function isPair(privateKey: KeyObject, publicKey: KeyObject): boolean {
  const probe = Buffer.from('probe');
  return verify('sha256', probe, publicKey, sign('sha256', probe, privateKey));
}
