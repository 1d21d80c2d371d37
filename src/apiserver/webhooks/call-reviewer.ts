import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { YamlTextError } from '../../util/yaml-text-error.js';
import { JsonTextError } from '../api/json-text.js';
import { readBodyText } from '../http/body-reader.js';
import { withTypeMeta } from '../http/type-meta.js';
import type { Store } from '../storage/store.js';
import { postReview } from './post-review.js';

/** The address of a webhook, as a WebhookClientConfig has it. Source: Kubernetes API reference, WebhookClientConfig. */
export interface ReviewerAddress {
  readonly url: string | undefined;
  /** A Service, if there is no URL. */
  readonly service: ServiceAddress | undefined;
  /** Certificate authority as PEM. */
  readonly ca: string | undefined;
}

/** The parts of the server that the call of a webhook needs. */
export interface ReviewCaller {
  readonly store: Store;
  readonly newUid: () => string;
  /** True if webhooks are called. */
  readonly webhooks: boolean;
}

export interface Reviewer {
  readonly address: ReviewerAddress;
  readonly timeoutSeconds: number;
}

interface ServiceAddress {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string | undefined;
  readonly port?: number | undefined;
}

/** Returns the address that a client configuration names. */
export function reviewerAddress(clientConfig: Json | undefined): ReviewerAddress {
  const {
    url,
    service,
    caBundle = '',
  } = (isJsonObject(clientConfig) ? clientConfig : {}) as {
    url?: string;
    service?: ServiceAddress;
    caBundle?: string;
  };
  const ca = Buffer.from(caBundle, 'base64').toString('utf8');
  // A bundle of white space is as none. Source: observed.
  return { url, service, ca: ca.trim() === '' ? undefined : ca };
}

/**
 * Sends a review to a webhook, for admission or conversion, and returns its answer. Source: Kubernetes documentation "Dynamic Admission
 * Control"; messages as observed.
 *
 * @throws Error if the webhook cannot be reached, or its answer is not a JSON object
 */
export async function callReviewer(caller: ReviewCaller, { address, timeoutSeconds }: Reviewer, review: JsonObject): Promise<JsonObject> {
  const { ca } = address;
  if (address.url === undefined) throw new Error(serviceProblem(caller, address.service, timeoutSeconds));
  const url = new URL(address.url);
  if (url.protocol !== 'https:') throw new Error("'https' is the only allowed URL scheme");
  url.searchParams.set('timeout', `${timeoutSeconds}s`);
  const { code, text, contentType } = await postReview({ url, ca, timeoutSeconds, body: stringifyExactJson(review) });
  if (code < 200 || code > 206) throw new Error(refusalText(code, text));
  if (text === '') throw new Error(`0-length response with status code: ${code} and content type: ${contentType}`);
  return answerIn(text);
}

const noService: ServiceAddress = { name: '', namespace: '' };

/** Returns why a webhook behind a Service cannot be reached. */
function serviceProblem({ store }: ReviewCaller, { name, namespace, path = '/', port = 443 } = noService, seconds: number): string {
  const url = `https://${name}.${namespace}.svc:${port}${path}?timeout=${seconds}s`;
  const isKnown = store.get({ resource: '/services', namespace, name }) !== undefined;
  const problem = isKnown
    ? 'a webhook behind a Service cannot be reached without a cluster network: name a url'
    : `service ${JSON.stringify(name)} not found`;
  return `Post ${JSON.stringify(url)}: ${problem}`;
}

/** Reads an answer: JSON if it begins with a brace, and YAML otherwise. */
async function answerIn(text: string): Promise<JsonObject> {
  try {
    const { value } = await readBodyText(text, /^\s*\{/.test(text) ? 'json' : 'yaml');
    return withTypeMeta(value ?? {});
  } catch (error) {
    if (!(error instanceof JsonTextError || error instanceof YamlTextError)) throw error;
    throw new Error(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

/** The errors of a Kubernetes client for an HTTP status without more information. */
const refusals: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Answers whose text is the message. */
const texts: ReadonlySet<number> = new Set([403, 406, 415]);

/** The characters of an answer that an error shows. */
const maxShown = 2048;

function refusalText(code: number, text: string): string {
  const status = statusIn(text);
  if (status !== undefined) return status;
  if (texts.has(code)) return text;
  if (code >= 500 && refusals[code] === undefined) {
    const shown = isJson(text) ? 'unknown' : text.slice(0, maxShown);
    return `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`;
  }
  return refusals[code] ?? `the server responded with the status code ${code} but did not return more information`;
}

/** Returns the message of a Status. */
function statusIn(text: string): string | undefined {
  if (!isJson(text)) return undefined;
  const { kind, apiVersion, message } = JSON.parse(text) as JsonObject;
  return kind === 'Status' && apiVersion === 'v1' ? String(message ?? '') : undefined;
}

function isJson(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text) as Json);
  } catch {
    return false;
  }
}
