import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type ApiRequest, type ApiResponse, bodyOf } from '../api/request.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { tabulator } from './table.js';

/** Returns the response of a request with each object and list as a Table of an apiVersion. @throws StatusError */
export async function tabulated(
  { clock }: Backend,
  target: RequestTarget,
  request: ApiRequest,
  apiVersion: string,
  respond: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const tables = tabulator(target, request.query, apiVersion, clock);
  const response = await respond();
  const { watch } = response;
  if (watch === undefined) {
    const { json: _, ...others } = response;
    const body = bodyOf(response);
    return { ...others, body: isJsonObject(body) ? tables.table(body) : body };
  }
  const shown = (event: Json): Json => {
    const { type, object } = event as { readonly type: string; readonly object: JsonObject };
    return type === 'ERROR' ? event : { type, object: tables.watched(object, type) };
  };
  return { ...response, watch: (send, end) => watch((event) => send(shown(event)), end) };
}
