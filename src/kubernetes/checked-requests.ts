import type { JsonObject } from '../util/json.js';
import type { ObjectAddress } from './cluster-client.js';
import { type ExpectedObject, listError, objectError } from './response-object.js';
import type { ApiRequest, ApiResponse, RequestContext, RequestSender } from './transport/transport.js';
import { unexpectedResponse } from './transport/unexpected-response.js';

/** A hundred times the size of a usual page; a larger page is requested again in smaller ones. */
const maxPageBytes = 256 * 2 ** 20; // bytes

/** Sends requests in one context, and refuses responses that hold something else than what was requested. */
export class CheckedRequests {
  readonly transport: RequestSender;
  readonly context: RequestContext;
  /** Facts about the server that responses have told; the views of a client share them. */
  readonly server: { hasApply: boolean };

  constructor(transport: RequestSender, context: RequestContext, server = { hasApply: true }) {
    this.transport = transport;
    this.context = context;
    this.server = server;
  }

  withContext(context: RequestContext): CheckedRequests {
    return new CheckedRequests(this.transport, context, this.server);
  }

  /** Sends a request whose response the caller checks. */
  send(request: ApiRequest): Promise<ApiResponse> {
    return this.transport.send(request, this.context);
  }

  /** @throws FieldwiseError `response-unexpected` unless the response holds the expected object. */
  async sendFor(request: ApiRequest, expected: ExpectedObject): Promise<ApiResponse & { readonly body: JsonObject }> {
    const response = await this.send(request);
    this.#check(request, objectError(response.body, expected));
    return response as ApiResponse & { readonly body: JsonObject };
  }

  /** @throws FieldwiseError `response-unexpected` unless the response holds a list of objects. */
  async sendForPage(request: ApiRequest): Promise<JsonObject> {
    const { body } = await this.send({ ...request, maxResponseBytes: maxPageBytes });
    this.#check(request, listError(body));
    return body as JsonObject;
  }

  #check(request: ApiRequest, issue: string | undefined): void {
    if (issue !== undefined) throw unexpectedResponse(this.transport.server, request, issue);
  }
}

export function expectedAt({ resource, name }: ObjectAddress): ExpectedObject {
  return { kind: resource.kind, name };
}
