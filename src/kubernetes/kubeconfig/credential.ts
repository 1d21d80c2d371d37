import type { Machine } from '../../util/machine.js';
import type { SelectedContext } from './select-context.js';
import type { ClientCertificate } from './server-tls.js';

/** The credential of one request. */
export interface Credential {
  /** The header Authorization. */
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

/** A source of credentials. */
export interface CredentialSource {
  /** Returns the credential of this moment. @throws FieldwiseError `authentication-failed`. */
  current(): Promise<Credential>;
  /** Gets another credential after the server has refused one. @returns false if there is no other. */
  renew?(refused: string | undefined): Promise<boolean>;
}

/** The authenticators of a `KubeConfig` of @kubernetes/client-node: its own, and those that a program has added. */
export interface Authenticator {
  isAuthProvider(user: object): boolean;
  applyAuthentication(user: object, options: { headers: Record<string, string> }): Promise<void>;
}

/** The user of a context, and the parts of the surroundings that a source of credentials uses. */
export interface CredentialSettings {
  readonly selected: SelectedContext;
  readonly server: string;
  readonly machine: Machine;
  readonly authenticators: readonly Authenticator[];
}
