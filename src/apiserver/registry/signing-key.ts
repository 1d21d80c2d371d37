import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** The key that signs ServiceAccount tokens. It is created at start, so tokens are valid until the server stops. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function newSigningKey(): SigningKey {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

/** Returns a key as PEM. */
export function writeSigningKey({ privateKey }: SigningKey): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** @throws Error if the text is not PEM of a key. */
export function readSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
