import { existsSync, readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { FieldwiseError } from '../../util/error.js';
import type { Machine } from '../../util/machine.js';
import { checkIdentity } from './check-identity.js';
import type { Environment } from './read-kubeconfig.js';
import type { SelectedContext } from './select-context.js';

/** A client certificate and its key, both as PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

type Part = 'ca' | 'cert' | 'key';
type Parts = Partial<Record<Part, string>>;

/** The milliseconds after which files are read again. client-go reads a certificate for each connection, and a CA every few minutes. */
const rereadMs = 60_000; // milliseconds

/** The bundles of Linux distributions. Source: Go, `crypto/x509`, root files. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/**
 * The TLS settings of a server by its kubeconfig, whose files may change. Corrections of the reader of client-node: data come before files, the
 * CA counts without a user, too, and files are read again.
 */
export class ServerTls {
  readonly #selected: SelectedContext;
  readonly #machine: Machine;
  readonly #environment: Environment;
  #parts: Parts = {};
  #plugin: ClientCertificate | undefined;
  #trustsSystem = false;
  #readAt = Number.NEGATIVE_INFINITY;
  #context: SecureContext;
  #proxyContext: SecureContext | undefined;
  #isCurrent = true;
  #generation = 0;

  /** @throws FieldwiseError `kubeconfig-invalid` for a certificate or key that is not one. */
  constructor(selected: SelectedContext, machine: Machine, environment: Environment = process.env) {
    this.#selected = selected;
    this.#machine = machine;
    this.#environment = environment;
    this.refresh();
    this.#context = this.#newContext();
    this.#isCurrent = true;
  }

  /** A number that changes with the certificates: a connection of another number is not used again. */
  get generation(): number {
    return this.#generation;
  }

  /** Options of Node's `tls.connect`. */
  get options(): object {
    const { tlsServerName } = this.#selected.cluster;
    return { secureContext: this.#currentContext(), ...this.#verification(), ...(tlsServerName ? { servername: tlsServerName } : {}) };
  }

  /** Options of Node's `tls.connect` for an `https` proxy: it is trusted as the server is, and gets no client certificate. */
  get proxyOptions(): object {
    const { ca } = this.#parts;
    this.#proxyContext ??= createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] });
    return { secureContext: this.#proxyContext, ...this.#verification() };
  }

  /** Reads the files again if their time has come. A file that cannot be read any more leaves its last content. */
  refresh(): void {
    const now = this.#machine.monotonic();
    if (now - this.#readAt < rereadMs) return;
    this.#readAt = now;
    const { cluster, user } = this.#selected;
    const { ca, cert, key } = this.#parts;
    this.#change({
      ca: contentOf(cluster.caFile, cluster.caData) ?? ca,
      cert: contentOf(user.certFile, user.certData) ?? cert,
      key: contentOf(user.keyFile, user.keyData) ?? key,
    });
  }

  /** Uses the certificate of an exec plugin, unless the user has one. */
  usePluginCertificate(certificate: ClientCertificate | undefined): void {
    if (this.#plugin?.cert === certificate?.cert && this.#plugin?.key === certificate?.key) return;
    this.#plugin = certificate;
    this.#renew();
  }

  /**
   * Trusts the certificates of the system, too, as kubectl does. They are read only where Node's own do not suffice, because this takes time.
   *
   * @returns false if the kubeconfig names a certificate authority, or the system has no others.
   */
  trustSystem(): boolean {
    if (this.#trustsSystem) return true;
    if (this.#parts.ca !== undefined || this.#systemBundle() === undefined) return false;
    this.#trustsSystem = true;
    this.#renew();
    return true;
  }

  #systemBundle(): string | undefined {
    const { SSL_CERT_FILE } = this.#environment;
    return (SSL_CERT_FILE ? [SSL_CERT_FILE] : systemBundles).find((file) => existsSync(file));
  }

  #verification(): object {
    return this.#selected.cluster.skipTLSVerify ? { rejectUnauthorized: false } : { checkServerIdentity: checkIdentity };
  }

  #change(parts: Partial<Record<Part, string | undefined>>): void {
    const next = Object.fromEntries(Object.entries(parts).filter(([, content]) => content !== undefined)) as Parts;
    const isSame = (['ca', 'cert', 'key'] as const).every((part) => next[part] === this.#parts[part]);
    if (isSame) return;
    this.#parts = next;
    this.#renew();
  }

  #renew(): void {
    this.#isCurrent = false;
    this.#proxyContext = undefined;
    this.#generation += 1;
  }

  /** Returns the last context while files do not belong together, because somebody is writing them. */
  #currentContext(): SecureContext {
    if (this.#isCurrent) return this.#context;
    try {
      this.#context = this.#newContext();
      this.#isCurrent = true;
    } catch (error) {
      if (this.#plugin !== undefined) throw error;
    }
    return this.#context;
  }

  #newContext(): SecureContext {
    const { ca, cert, key } = this.#parts;
    const { cluster, user } = this.#selected;
    const bundle = this.#trustsSystem ? this.#systemBundle() : undefined;
    const trusted = bundle === undefined ? ca : [...rootCertificates, readFileSync(bundle, 'utf8')];
    if (ca !== undefined && !/-----BEGIN (?:TRUSTED )?CERTIFICATE-----/.test(ca)) {
      throw notPem(`certificate-authority${cluster.caData ? '-data' : ''} of the cluster ${cluster.name}`, cluster.origin);
    }
    const own = cert === undefined || key === undefined ? this.#plugin : { cert, key };
    try {
      // As in Go, each certificate of the kubeconfig is trusted, of an intermediate authority or of the server itself, too. Node from 20.18 on.
      return createSecureContext({ ...(trusted === undefined ? {} : { ca: trusted, allowPartialTrustChain: true }), ...own });
    } catch (cause) {
      const source = this.#plugin === own ? 'The certificate of the exec plugin' : 'The client certificate';
      const what = `${source} of the user ${user.name} of the kubeconfig cannot be used: ${(cause as Error).message}`;
      throw new FieldwiseError('kubeconfig-invalid', 'usage', what, {
        location: user.origin === undefined ? {} : { file: user.origin },
        next: 'Check that certificate and key are PEM, and belong together.',
        cause,
      });
    }
  }
}

function contentOf(file: string | undefined, data: string | undefined): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString();
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function notPem(what: string, file: string | undefined): FieldwiseError {
  return new FieldwiseError('kubeconfig-invalid', 'usage', `The ${what} of the kubeconfig contains no certificate (PEM)`, {
    location: file === undefined ? {} : { file },
    next: 'Set it to the certificate of the authority that signed the certificate of the server.',
  });
}
