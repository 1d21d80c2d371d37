import { FieldwiseError } from '../../util/error.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject } from '../../util/json.js';
import type { HttpResponse, ResponseTooLarge } from './http-request.js';
import { maxJsonDepth } from './read-http-response.js';

const maxExcerptLength = 80;

/** The whole text of the plain answers of an API server to paths that it does not serve. Source: Kubernetes, apiserver `NotFound` handler. */
const unservedPath = '404 page not found';

/** An error about something that answers in the place of an API server, or about an answer that is none of its kind. */
export function unexpectedResponse(server: string, request: { readonly method: string; readonly path: string }, what: string) {
  return new FieldwiseError(
    'response-unexpected',
    'resource',
    `${request.method} ${request.path} was answered with ${what}, which a Kubernetes API server does not send`,
    {
      location: { server },
      next: 'Check the server address in the kubeconfig, and whether a proxy, a login page or a gateway answers in place of the API server.',
    },
  );
}

/** An error about an answer that was broken off. */
export function responseTooLargeError(
  server: string,
  request: { readonly method: string; readonly path: string },
  { message }: ResponseTooLarge,
) {
  return new FieldwiseError('response-too-large', 'resource', `${request.method} ${request.path}: ${message}, and was broken off`, {
    location: { server },
    next: 'Check that the server address in the kubeconfig is that of a Kubernetes API server.',
  });
}

/** Describes an answer that no Kubernetes API server gives; undefined for all others, refusals among them. */
export function unexpectedContent(response: HttpResponse): string | undefined {
  const { code, body, encoding } = response;
  if (encoding !== '' && encoding !== 'identity') return `${code} in the content encoding ${encoding}, which was not asked for`;
  if (code < 200 || (code >= 300 && code < 400)) return redirectText(response);
  if (isJsonObject(body) && code < 300 && body.kind === 'Status' && body.status === 'Failure') {
    return `${code} and a refusal in it (${excerpt(stringifyExactJson(body.message ?? body.reason ?? ''))})`;
  }
  if (isJsonObject(body) && (code < 300 || body.kind === 'Status')) return undefined;
  // Gateways answer for a server that is away; that is a refusal that passes.
  if (code === 429 || code >= 500) return undefined;
  if (code === 404 && response.text.trim() === unservedPath) return undefined;
  return contentText(response);
}

/** `200 with HTML ("Sign in")`, `204 without a body`: what answered, in few words. */
function contentText({ code, text, body, contentType, isTooDeep }: HttpResponse): string {
  if (body === undefined) return `${code} without a body`;
  if (isTooDeep) return `${code} with JSON that is nested more than ${maxJsonDepth} levels deep`;
  if (typeof body !== 'string' || text.startsWith('"')) return `${code} with the JSON value ${excerpt(text)}`;
  return `${code} with ${plainText(body, contentType)}`;
}

/** `HTML ("Sign in")`, `text: "no such host"`: text that is not JSON, in few words. */
export function plainText(text: string, contentType = ''): string {
  if (isHtml(text)) {
    const start = text.slice(0, 4_000);
    const words = /<title[^<>]*>([^<]{0,200})/i.exec(start)?.[1] ?? start.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ');
    return `HTML (${JSON.stringify(excerpt(words))})`;
  }
  return `${contentType === '' ? 'text' : contentType} that is not JSON: ${JSON.stringify(excerpt(text))}`;
}

export function isHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|title|body|h\d)\b/i.test(text);
}

function redirectText({ code, location }: HttpResponse): string {
  return location === '' ? `${code}` : `${code}, a redirect to ${withoutQuery(location)}`;
}

/** The query of a login page holds tokens. */
function withoutQuery(location: string): string {
  return excerpt(location.split(/[?#]/)[0] ?? '');
}

function excerpt(text: string): string {
  const line = text.trim();
  return line.length > maxExcerptLength ? `${line.slice(0, maxExcerptLength)}…` : line;
}
