import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { JsonObject } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';
import { type PemBlock, pemBlocks } from './pem-rules.js';

/** Returns why the certificate and the key of a Secret do not fit together, in the words of the server. Source: observed. */
export function tlsWarnings({ type, data }: JsonObject): readonly string[] {
  if (type !== 'kubernetes.io/tls') return [];
  const { 'tls.crt': certificate, 'tls.key': key } = structOf(data);
  const problem = pairProblem(blocksOf(certificate), blocksOf(key));
  return problem === undefined ? [] : [problem];
}

function blocksOf(encoded: unknown): readonly PemBlock[] {
  return pemBlocks(Buffer.from(String(encoded ?? ''), 'base64').toString('latin1')).filter(({ content }) => isBase64(content));
}

function isBase64(content: string): boolean {
  const text = content.replaceAll(/[ \t\r]/g, '');
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function pairProblem(certificates: readonly PemBlock[], keys: readonly PemBlock[]): string | undefined {
  const [certificate, key] = [certificates.find(isCertificate), keys.find(isKey)];
  if (certificate === undefined) return noCertificate(certificates.map(({ type }) => type));
  if (key === undefined) return noKey(keys.map(({ type }) => type));
  const publicKey = publicKeyOf(bytesOf(certificate));
  if (typeof publicKey === 'string') return publicKey;
  const privateKey = privateKeyOf(bytesOf(key));
  return privateKey === undefined ? 'tls: failed to parse private key' : matchProblem(publicKey, privateKey);
}

const isCertificate = ({ type }: PemBlock) => type === 'CERTIFICATE';
const isKey = ({ type }: PemBlock) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
const bytesOf = ({ content }: PemBlock) => Buffer.from(content, 'base64');

function noCertificate(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
  const start = 'tls: failed to find';
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY') === true)
    return `${start} certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched`;
  const skipped = 'after skipping PEM blocks of the following types';
  return `${start} "CERTIFICATE" PEM block in certificate input ${skipped}: [${types.join(' ')}]`;
}

function noKey(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE') return 'tls: found a certificate rather than a key in the PEM for the private key';
  const skipped = 'after skipping PEM blocks of the following types';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input ${skipped}: [${types.join(' ')}]`;
}

/** Returns the key of a certificate, or why there is none; what is wrong inside of a certificate is not told apart. */
function publicKeyOf(der: Buffer): KeyObject | string {
  try {
    const { raw, publicKey } = new X509Certificate(der);
    if (raw.length < der.length) return 'x509: trailing data';
    return hasKnownCurve(publicKey) ? publicKey : 'x509: unsupported elliptic curve';
  } catch {
    return 'x509: malformed certificate';
  }
}

const knownCurves = ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'];

function hasKnownCurve({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType !== 'ec' || knownCurves.includes(asymmetricKeyDetails?.namedCurve ?? '');
}

function privateKeyOf(key: Buffer): KeyObject | undefined {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
    try {
      return createPrivateKey({ key, format: 'der', type });
    } catch {
      // It may be in another format.
    }
  }
  return undefined;
}

const knownKeys = ['rsa', 'ec', 'ed25519'];

function matchProblem(publicKey: KeyObject, privateKey: KeyObject): string | undefined {
  const [type = '', ownType = ''] = [publicKey.asymmetricKeyType, privateKey.asymmetricKeyType];
  if (ownType === 'x25519') return 'tls: found unknown private key type in PKCS#8 wrapping';
  if (!knownKeys.includes(ownType) || !hasKnownCurve(privateKey)) return 'tls: failed to parse private key';
  if (!knownKeys.includes(type)) return 'tls: unknown public key algorithm';
  if (type !== ownType) return 'tls: private key type does not match public key type';
  return createPublicKey(privateKey).equals(publicKey) ? undefined : 'tls: private key does not match public key';
}
