import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Received, ScenarioTransport } from '../vectors/exchange.js';
import { pathOf, requests, type Step } from '../vectors/scenario.js';
import { normalized } from '../vectors/tokens.js';
import { filled, type Planned } from './planned.js';
import { Tokenizer } from './tokenizer.js';

/** The response of a server and the resulting object, in the vector format. */
export interface Observed {
  readonly result: { readonly code: number; readonly body: Json; readonly warnings: readonly string[] };
  readonly live: JsonObject | 'absent';
  readonly rv: Step['rv'];
}

/** One server as one scenario sees it. */
export class ServerRunner {
  readonly #exchange: ScenarioTransport;
  readonly #tokens = new Tokenizer();
  #step = 0;
  #live: JsonObject | undefined;
  #stale: string | undefined;

  constructor(exchange: ScenarioTransport) {
    this.#exchange = exchange;
  }

  /** The object as the server has it now. */
  get live(): JsonObject | undefined {
    return this.#live;
  }

  /** Sends a request. @returns what came of it, and the body as sent, both with tokens. */
  async send(planned: Planned): Promise<{ readonly observed: Observed; readonly sent: Json | undefined }> {
    this.#step += 1;
    this.#tokens.at(this.#step);
    const body = planned.body === undefined ? undefined : filled(planned.body, { live: this.#live, stale: this.#stale });
    const sent = body === undefined ? undefined : normalized(this.#tokens.tokenize(body));
    const received = await this.#exchange(requestOf(planned, body));
    const found = await this.#exchange({ method: 'GET', path: pathOf(planned.target) });
    const before = this.#live;
    this.#live = found.code === 200 ? (found.body as JsonObject) : undefined;
    const rv = effect(before, this.#live);
    if (rv === 'changed' && isJsonObject(before?.metadata)) this.#stale = String(before.metadata.resourceVersion);
    const observed = { result: resultOf(received), live: this.#live ?? 'absent', rv };
    return { observed: normalized(this.#tokens.tokenize(observed as unknown as Json)) as unknown as Observed, sent };
  }
}

function requestOf(planned: Planned, body: Json | undefined) {
  const [method, usual] = requests[planned.op];
  const { name, ...collection } = planned.target;
  const path =
    planned.op === 'create'
      ? pathOf({ ...collection, name: '' }).replace(/\/$/, '')
      : pathOf({ ...collection, name }, collection.subresource);
  const text = planned.rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    method,
    path,
    ...(planned.query === undefined ? {} : { query: planned.query }),
    ...(text === undefined ? {} : { body: text }),
    contentType: planned.contentType ?? usual,
    ...(planned.accept === undefined ? {} : { accept: planned.accept }),
  };
}

function resultOf({ code, body, text, warnings }: Received): Observed['result'] {
  if (!isJsonObject(body)) return { code, body: text, warnings };
  if (body.kind !== 'Status') return { code, body, warnings };
  const { kind: _, apiVersion: __, metadata: ___, ...status } = body;
  return { code, body: status, warnings };
}

function effect(before: JsonObject | undefined, after: JsonObject | undefined): Step['rv'] {
  if (after === undefined) return before === undefined ? 'absent' : 'deleted';
  const [old, current] = [before?.metadata, after.metadata] as [JsonObject | undefined, JsonObject];
  if (old === undefined || old.uid !== current.uid) return 'created';
  return old.resourceVersion === current.resourceVersion ? 'same' : 'changed';
}
