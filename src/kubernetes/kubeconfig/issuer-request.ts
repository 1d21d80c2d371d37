import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { rootCertificates } from 'node:tls';
import { credentialMasker, credentialsIn } from '../mask-credentials.js';
import { checkIdentity } from './check-identity.js';
import { environmentProxy, isLoopback } from './proxy.js';
import { tunnelAgent } from './tunnel-agent.js';

/** A request to an issuer of tokens. */
export interface IssuerRequest {
  readonly url: URL;
  /** Fields of a form to post; absent for a GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** The header Authorization. */
  readonly authorization?: string;
  /** The certificate authority of the issuer as PEM. @default those of Node */
  readonly ca?: string;
}

/** The response of an issuer of tokens. */
export interface IssuerResponse {
  readonly code: number;
  readonly text: string;
  readonly location: string | undefined;
}

const timeoutMs = 30_000; // milliseconds
const maxCharacters = 2 ** 20;

/**
 * Sends one request to an issuer of tokens, through the proxy of the environment if there is one. No redirect is followed.
 *
 * @throws Error without a response, or for an issuer without TLS that is not on this host.
 */
export async function requestIssuer({ url, form, authorization, ca }: IssuerRequest): Promise<IssuerResponse> {
  const secure = url.protocol === 'https:';
  if (!secure && !isLoopback(url.hostname)) throw new Error(`${url.origin} has no TLS, so a token is not sent there`);
  const proxy = environmentProxy(url);
  const tls = { checkServerIdentity: checkIdentity, ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }) };
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const headers = {
    accept: 'application/json',
    'user-agent': 'fieldwise',
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  const agent = proxy === undefined ? false : await tunnelAgent(url, proxy, { timeoutMs, tls });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method: body === undefined ? 'GET' : 'POST', headers, timeout: timeoutMs, agent, ...tls };
    const call = (secure ? httpsRequest : httpRequest)(url, options, resolve);
    call.once('timeout', () => call.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
    call.once('error', reject).end(body);
  });
  let text = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (text.length > maxCharacters) throw new Error('the response is larger than any with a token');
  }
  const code = response.statusCode ?? 0;
  const sent = [...credentialsIn({ ...(authorization === undefined ? {} : { authorization }) }), ...secretsIn(form)];
  return { code, text: code === 200 ? text : credentialMasker(sent)(text), location: response.headers.location };
}

/** An issuer may quote the form in its error. */
function secretsIn(form: Readonly<Record<string, string>> = {}): readonly string[] {
  return ['refresh_token', 'client_secret'].flatMap((name) => form[name] ?? []);
}
