import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { withoutUser } from '../mask-credentials.js';
import type { Credential, CredentialSettings, CredentialSource } from './credential.js';
import { credentialsError } from './credentials-error.js';
import { type IssuerResponse, requestIssuer } from './issuer-request.js';
import { saveTokens } from './save-tokens.js';

/** The `config` of the auth-provider oidc. */
type OidcConfig = Record<string, string | undefined>;

const reserveMs = 10_000; // milliseconds; the clocks of this machine and of the server may differ
const maxRedirects = 5;

/**
 * Tokens of an issuer of OpenID Connect. An expired one is refreshed, and the kubeconfig gets the new tokens, as by kubectl: an issuer may
 * accept a refresh token once. Source: Kubernetes, client-go, `plugin/pkg/client/auth/oidc`; OpenID Connect Core 1.0, 12; RFC 6749, 6.
 */
export class OidcTokens implements CredentialSource {
  readonly #settings: CredentialSettings;
  readonly #config: OidcConfig;
  #refreshing: Promise<string> | undefined;

  constructor(settings: CredentialSettings) {
    this.#settings = settings;
    const { authProvider } = settings.selected.user;
    authProvider.config ??= {};
    this.#config = authProvider.config;
  }

  async current(): Promise<Credential> {
    const token = this.#config['id-token'];
    if (token && this.#expiresAt(token) > this.#settings.machine.wall() + reserveMs) return { authorization: `Bearer ${token}` };
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return { authorization: `Bearer ${await this.#refreshing}` };
  }

  /** The end of a token in milliseconds since 1970. */
  #expiresAt(token: string): number {
    const [, payload, ...rest] = token.split('.');
    const claims = rest.length === 1 ? parsed(Buffer.from(payload ?? '', 'base64url').toString()) : undefined;
    const end = Number(claims?.exp);
    if (Number.isFinite(end)) return end * 1000;
    throw this.#error(`the id-token of the user ${this.#settings.selected.user.name} is not a JSON Web Token with an end`, 'Log in again.');
  }

  async #refresh(): Promise<string> {
    const { 'idp-issuer-url': issuer, 'client-id': client, 'refresh-token': refresh } = this.#config;
    const { name } = this.#settings.selected.user;
    for (const [key, value] of Object.entries({ 'idp-issuer-url': issuer, 'client-id': client, 'refresh-token': refresh })) {
      if (!value) throw this.#error(`the id-token of the user ${name} has expired, and its auth-provider has no ${key}`, 'Log in again.');
    }
    let tokens: JsonObject;
    try {
      tokens = await this.#requestTokens(issuer as string, client as string, refresh as string);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw this.#error(
        `the id-token of the user ${name} has expired, and ${withoutUser(String(issuer))} gives no other: ${reason}`,
        'Log in again.',
        error,
      );
    }
    const changed = { 'id-token': String(tokens.id_token), 'refresh-token': String(tokens.refresh_token || refresh) };
    this.#save(changed);
    Object.assign(this.#config, changed);
    return changed['id-token'];
  }

  async #requestTokens(issuer: string, client: string, refresh: string): Promise<JsonObject> {
    const ca = this.#certificateAuthority();
    const trust = ca === undefined ? {} : { ca };
    const discovered = await discover(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`), trust);
    const url = new URL(String(discovered.token_endpoint));
    const secret = this.#config['client-secret'] ?? '';
    const form = { grant_type: 'refresh_token', refresh_token: refresh };
    const authorization = `Basic ${Buffer.from(`${encodeURIComponent(client)}:${encodeURIComponent(secret)}`).toString('base64')}`;
    const first = await requestIssuer({ url, form, authorization, ...trust });
    // An issuer may expect the client in the header or in the form.
    const inForm = { ...form, client_id: client, ...(secret === '' ? {} : { client_secret: secret }) };
    const response = first.code === 200 ? first : await requestIssuer({ url, form: inForm, ...trust });
    const tokens = contentOf(response, url);
    if (typeof tokens.id_token !== 'string') throw new Error('its response contains no id_token');
    return tokens;
  }

  #certificateAuthority(): string | undefined {
    const { 'idp-certificate-authority-data': data, 'idp-certificate-authority': file } = this.#config;
    if (data) return Buffer.from(data, 'base64').toString();
    return file ? readFileSync(file, 'utf8') : undefined;
  }

  #save(tokens: Readonly<Record<string, string>>): void {
    const { name, origin } = this.#settings.selected.user;
    if (origin === undefined) return;
    try {
      saveTokens(origin, name, tokens);
    } catch (error) {
      const what = `the new tokens of the user ${name} cannot be written to the kubeconfig: ${(error as Error).message}`;
      const next = `Make the file and its directory writable, and remove ${origin}.lock if no other command runs.`;
      throw this.#error(what, next, error);
    }
  }

  #error(what: string, next: string, cause?: unknown): Error {
    return credentialsError(this.#settings, what, next, cause);
  }
}

async function discover(first: URL, trust: { readonly ca?: string }): Promise<JsonObject> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await requestIssuer({ url, ...trust });
    if (response.code < 300 || response.code >= 400 || response.location === undefined) return contentOf(response, url);
    url = new URL(response.location, url);
    // The document names the place to which the tokens go.
    if (url.origin !== first.origin) throw new Error(`${first.href} redirects to another server, ${url.origin}`);
  }
  throw new Error(`${first.href} redirects more than ${maxRedirects} times`);
}

function contentOf({ code, text }: IssuerResponse, url: URL): JsonObject {
  const content = parsed(text);
  if (code === 200 && content !== undefined) return content;
  const { error, error_description: description } = content ?? {};
  const reason = [error, description].filter((part) => typeof part === 'string').join(': ');
  throw new Error(`${url.origin}${url.pathname} responded with ${code}${reason === '' ? '' : ` (${reason})`}`);
}

function parsed(text: string): JsonObject | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return isJsonObject(content) ? content : undefined;
  } catch {
    return undefined;
  }
}
