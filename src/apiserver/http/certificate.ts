import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';

/** A certificate and its key, both as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const oid = {
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x55, 0x04, 0x03],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
};

/** The subject of a certificate, and who vouches for it. */
export interface CertificateOptions {
  readonly commonName: string;
  /** DNS names of a server. */
  readonly names?: readonly string[];
  /** IPv4 addresses of a server. */
  readonly addresses?: readonly string[];
  readonly isAuthority: boolean;
  readonly from: Date;
  readonly until: Date;
  /** The authority that signs it, and its common name. @default itself */
  readonly issuer?: { readonly commonName: string; readonly key: string };
}

/**
 * Creates a certificate for the loopback interface, valid for ten years. Clients such as kubectl send a token over TLS only.
 */
export function selfSignedCertificate(now: Date): Certificate {
  return createCertificate({
    commonName: 'fieldwise embedded cluster',
    names: ['localhost'],
    addresses: ['127.0.0.1'],
    isAuthority: true,
    from: new Date(now.getTime() - 24 * 3600 * 1000),
    until: new Date(Date.UTC(now.getUTCFullYear() + 10, now.getUTCMonth(), 1)),
  });
}

/**
 * Creates a key and its certificate.
 * Source: RFC 5280 (certificate), RFC 5480 and RFC 5758 (keys and signatures on P-256), X.690 (DER).
 */
export function createCertificate(options: CertificateOptions): Certificate {
  const { commonName, names = [], addresses = [], isAuthority, from, until, issuer } = options;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(objectId(oid.ecdsaWithSha256));
  const alternatives = [
    ...names.map((name) => tagged(0x82, Buffer.from(name))),
    ...addresses.map((address) => tagged(0x87, Buffer.from(address.split('.').map(Number)))),
  ];
  const constraints = sequence(...(isAuthority ? [boolean(true)] : []));
  const extensions = sequence(
    sequence(objectId(oid.basicConstraints), boolean(true), octets(constraints)),
    ...(alternatives.length === 0 ? [] : [sequence(objectId(oid.subjectAltName), octets(sequence(...alternatives)))]),
  );
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(15)]);
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    nameOf(issuer?.commonName ?? commonName),
    sequence(time(from), time(until)),
    nameOf(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, issuer?.key ?? privateKey)]));
  const der = sequence(content, algorithm, signature);
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, cert: new X509Certificate(der).toString() };
}

function tagged(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  return bytes < 0x100 ? Buffer.from([0x81, bytes]) : Buffer.from([0x82, bytes >> 8, bytes & 0xff]);
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, Buffer.concat(parts));
const set = (...parts: readonly Buffer[]) => tagged(0x31, Buffer.concat(parts));
const objectId = (bytes: readonly number[]) => tagged(0x06, Buffer.from(bytes));
const integer = (bytes: Buffer) => tagged(0x02, bytes);
const boolean = (value: boolean) => tagged(0x01, Buffer.from([value ? 0xff : 0]));
const octets = (content: Buffer) => tagged(0x04, content);
const utf8 = (text: string) => tagged(0x0c, Buffer.from(text));
const nameOf = (commonName: string) => sequence(set(sequence(objectId(oid.commonName), utf8(commonName))));
/** Encodes a time: UTCTime until 2049, GeneralizedTime from 2050. */
const time = (date: Date) => {
  const text = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text));
};
