import { type Certificate, createCertificate } from '../../src/apiserver/http/certificate.js';

/** The certificates of the table: two authorities, servers, and clients. */
export interface Certificates {
  /** The authority of the servers, the clients and the issuer of tokens. */
  readonly authority: string;
  /** An authority that signed none of them. */
  readonly foreign: string;
  readonly server: Certificate;
  /** A certificate of the server that has expired. */
  readonly expired: Certificate;
  readonly alice: Certificate;
  readonly bob: Certificate;
}

const hour = 3_600_000;

export function createCertificates(): Certificates {
  const now = Date.now();
  const [from, until] = [new Date(now - 48 * hour), new Date(now + 48 * hour)];
  const authority = createCertificate({ commonName: 'authority', isAuthority: true, from, until });
  const foreign = createCertificate({ commonName: 'foreign', isAuthority: true, from, until });
  const issuer = { commonName: 'authority', key: authority.key };
  const leaf = { isAuthority: false, from, until, issuer };
  const hosts = { names: ['localhost', 'issuer.internal', '*.internal'], addresses: ['127.0.0.1'] };
  return {
    authority: authority.cert,
    foreign: foreign.cert,
    server: createCertificate({ ...leaf, ...hosts, commonName: 'server' }),
    expired: createCertificate({ ...leaf, ...hosts, commonName: 'server', until: new Date(now - 24 * hour) }),
    alice: createCertificate({ ...leaf, commonName: 'alice' }),
    bob: createCertificate({ ...leaf, commonName: 'bob' }),
  };
}
