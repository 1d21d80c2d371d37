import { readFileSync } from 'node:fs';
import type { Authenticator, Credential, CredentialSettings, CredentialSource } from './credential.js';
import { credentialsError } from './credentials-error.js';
import { isSendable } from './is-sendable.js';
import type { UserEntry } from './kube-config.js';

/**
 * Returns the source of a user's credentials, in the order of client-go: tokens and passwords come before plugins, and a certificate of the user
 * makes an exec plugin unnecessary. Modules that start a process or ask an issuer of tokens are loaded when they are called for.
 */
export async function credentialSource(settings: CredentialSettings): Promise<CredentialSource> {
  const { user } = settings.selected;
  const { token, username, password, authProvider, exec } = user;
  const tokenFile = user.tokenFile ?? (authProvider?.name === 'tokenFile' ? authProvider.config?.tokenFile : undefined);
  if (tokenFile) return new TokenFile(tokenFile, settings);
  if (token) return constant(`Bearer ${token}`);
  if (username || password) return constant(`Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}`);
  if (exec && !hasCertificate(user)) return new (await import('./exec-plugin.js')).ExecPlugin(settings);
  if (authProvider?.name === 'oidc') return new (await import('./oidc.js')).OidcTokens(settings);
  const authenticator = settings.authenticators.find((one) => one.isAuthProvider(user));
  if (authenticator !== undefined) return ofAuthenticator(authenticator, settings);
  if (authProvider?.name) {
    const what = `the auth-provider ${authProvider.name} of the user ${user.name} is unknown`;
    throw credentialsError(settings, what, 'Use the exec plugin of your cluster instead: its login command writes a new kubeconfig.');
  }
  return constant(undefined);
}

function hasCertificate({ certFile, certData }: UserEntry): boolean {
  return Boolean(certFile || certData);
}

function constant(authorization: string | undefined): CredentialSource {
  return { current: async () => (authorization === undefined ? {} : { authorization }) };
}

function ofAuthenticator(authenticator: Authenticator, settings: CredentialSettings): CredentialSource {
  const { user } = settings.selected;
  return {
    async current() {
      const options: { headers: Record<string, string> } = { headers: {} };
      try {
        await authenticator.applyAuthentication(user, options);
      } catch (error) {
        // The message of a parser quotes the output of a command, which may be a token.
        const reason = error instanceof SyntaxError ? 'the content is not JSON' : String((error as Error).message ?? error).split('\n')[0];
        throw credentialsError(settings, reason ?? '', 'Run the login command of your cluster, then try again.', error);
      }
      const { Authorization: authorization = user.token ? `Bearer ${user.token}` : undefined } = options.headers;
      return authorization === undefined ? {} : { authorization };
    },
  };
}

/** The milliseconds for which the content of a token file counts, less the ten seconds before its end. Source: client-go, `transport`. */
const tokenFileMs = 50_000; // milliseconds

/** A token in a file that others rewrite, such as that of a pod. A token beside it counts while the file cannot be read. */
class TokenFile implements CredentialSource {
  readonly #file: string;
  readonly #settings: CredentialSettings;
  #token: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(file: string, settings: CredentialSettings) {
    this.#file = file;
    this.#settings = settings;
  }

  async current(): Promise<Credential> {
    return { authorization: `Bearer ${this.#read(tokenFileMs)}` };
  }

  async renew(refused: string | undefined): Promise<boolean> {
    return `Bearer ${this.#read(0)}` !== refused;
  }

  #read(lifetimeMs: number): string {
    const { machine, selected } = this.#settings;
    const now = machine.monotonic();
    if (this.#token !== undefined && now - this.#readAt < lifetimeMs) return this.#token;
    const found = contentOf(this.#file);
    if (found.token) {
      this.#token = found.token;
      this.#readAt = now;
    }
    const token = this.#token ?? selected.user.token;
    if (token) return token;
    throw credentialsError(
      this.#settings,
      `the tokenFile of the user ${selected.user.name}, ${this.#file}, ${found.problem}`,
      'Write one token, and nothing else, to the file. A relative path is looked for from the directory of the kubeconfig.',
    );
  }
}

function contentOf(file: string): { readonly token?: string; readonly problem: string } {
  try {
    const token = readFileSync(file, 'utf8').trim();
    if (/[\r\n]/.test(token)) return { problem: 'contains more than one line' };
    return isSendable(token) ? { token, problem: 'is empty' } : { problem: 'contains no text that HTTP can send, such as a binary file' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})` };
  }
}
