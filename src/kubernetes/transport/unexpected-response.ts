import { FieldwiseError } from '../../util/error.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject } from '../../util/json.js';
import { maxJsonDepth } from '../../util/max-json-depth.js';
import { withoutUser } from '../mask-credentials.js';
import type { HttpResponse, ResponseTooLarge } from './http-request.js';

const maxExcerptLength = 80;

/** The plain text with which an API server responds to paths that it does not serve. Source: Kubernetes, apiserver `NotFound` handler. */
const unservedPath = '404 page not found';

/** Returns the error for a response that no API server sends, for example because another server answers in its place. */
export function unexpectedResponse(server: string, request: { readonly method: string; readonly path: string }, response: string) {
  return new FieldwiseError(
    'response-unexpected',
    'resource',
    `${request.method} ${request.path} was answered with ${response}, which a Kubernetes API server does not send`,
    {
      location: { server },
      next: 'Check the server address in the kubeconfig, and whether a proxy, a login page or a gateway answers in place of the API server.',
    },
  );
}

/** Returns the error for a response that was aborted because of its size. */
export function responseTooLargeError(
  server: string,
  request: { readonly method: string; readonly path: string },
  { message }: ResponseTooLarge,
) {
  return new FieldwiseError('response-too-large', 'resource', `${request.method} ${request.path}: ${message}, and was aborted`, {
    location: { server },
    next: 'Check that the server address in the kubeconfig is that of a Kubernetes API server.',
  });
}

/** Describes a response that no Kubernetes API server sends; undefined for any other response, including a rejection. */
export function unexpectedContent(response: HttpResponse): string | undefined {
  const { code, body, encoding } = response;
  if (encoding !== '' && encoding !== 'identity') return `${code} in the content encoding ${encoding}, which was not requested`;
  if (code < 200 || (code >= 300 && code < 400)) return redirectText(response);
  if (isJsonObject(body) && code < 300 && body.kind === 'Status' && body.status === 'Failure') {
    return `${code} with an error in it (${excerpt(stringifyExactJson(body.message ?? body.reason ?? ''))})`;
  }
  if (isJsonObject(body) && (code < 300 || body.kind === 'Status')) return undefined;
  // A gateway responds for an unavailable server; that is a transient rejection.
  if (code === 429 || code >= 500) return undefined;
  if (code === 404 && response.text.trim() === unservedPath) return undefined;
  return contentText(response);
}

/** Describes a response in a few words, such as `200 with HTML ("Sign in")` or `204 without a body`. */
function contentText({ code, text, body, contentType, isTooDeep }: HttpResponse): string {
  if (body === undefined) return `${code} without a body`;
  if (isTooDeep) return `${code} with JSON that is nested more than ${maxJsonDepth} levels deep`;
  if (typeof body !== 'string' || text.startsWith('"')) return `${code} with the JSON value ${excerpt(text)}`;
  return `${code} with ${plainText(body, contentType)}`;
}

/** Describes text that is not JSON in a few words, such as `HTML ("Sign in")` or `text that is not JSON: "no such host"`. */
export function plainText(text: string, contentType = ''): string {
  if (isHtml(text)) {
    const start = text.slice(0, 4_000);
    const content = /<title[^<>]*>([^<]{0,200})/i.exec(start)?.[1] ?? start.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ');
    return `HTML (${JSON.stringify(excerpt(content))})`;
  }
  return `${contentType === '' ? 'text' : contentType} that is not JSON: ${JSON.stringify(excerpt(text))}`;
}

export function isHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|title|body|h\d)\b/i.test(text);
}

function redirectText({ code, location }: HttpResponse): string {
  return location === '' ? `${code}` : `${code}, a redirect to ${withoutQuery(location)}`;
}

/** Removes the query, which holds tokens in the URL of a login page, and user and password. */
function withoutQuery(location: string): string {
  return excerpt(withoutUser(location.split(/[?#]/)[0] ?? ''));
}

function excerpt(text: string): string {
  const line = text.trim();
  return line.length > maxExcerptLength ? `${line.slice(0, maxExcerptLength)}…` : line;
}
