import { inProcessStream } from '../../src/entry/in-process-stream.js';
import type { RequestHandler } from '../../src/entry/request-handler.js';
import { type HttpRequest, type HttpResponse, TransportError } from '../../src/kubernetes/transport/http-request.js';
import { httpResponseOf } from '../../src/kubernetes/transport/read-http-response.js';
import type { Wire } from '../../src/kubernetes/transport/wire.js';
import { stringifyExactJson } from '../../src/util/exact-json.js';

/** What becomes of one attempt: it is answered, carried out without an answer, or not sent. */
export type Fate = 'answered' | 'lost' | 'unsent';

/** The connection to a server in this process. */
export const inProcessConnection = { server: 'http://in-process', tls: {}, headers: async () => ({}), namespace: 'default', context: '' };

/** Returns a wire to a server in this process that decides what becomes of each attempt. */
export function inProcessWire(server: RequestHandler, fateOf: (request: HttpRequest) => Fate = () => 'answered'): Wire {
  return {
    async send(request) {
      const fate = fateOf(request);
      if (fate === 'unsent') throw broken('ECONNREFUSED', true);
      if (request.mayStart?.() === false) return undefined;
      const response = await answerOf(server, request, request.machine.wall());
      if (fate === 'lost') throw broken('ECONNRESET', false);
      return response;
    },
    stream: (_, request, __, machine) => inProcessStream(server, request, machine),
  };
}

function broken(code: string, unsent: boolean): TransportError {
  return new TransportError(Object.assign(new Error(`the wire is broken (${code})`), { code }), { unsent, stale: false });
}

/** Returns the complete response of a server in this process. */
export async function answerOf(
  server: RequestHandler,
  { method, path: target, headers, body }: HttpRequest,
  now: number,
): Promise<HttpResponse> {
  const [path = '', query] = target.split('?');
  const content = body === undefined ? {} : { body };
  const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const response = await server.handle({ method, path, query: new URLSearchParams(query), headers: single, ...content });
  const { code, warnings, mediaType = 'application/json', contentType = mediaType } = response;
  const text = contentType.startsWith('application/json') ? stringifyExactJson(response.body) : String(response.body);
  const warning = warnings.map((one) => `299 - ${JSON.stringify(one)}`).join(', ');
  const own = {
    'content-type': contentType,
    'retry-after': response.headers?.['Retry-After'],
    ...(warnings.length > 0 ? { warning } : {}),
  };
  return httpResponseOf({ code, headers: own, text }, now);
}
