import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../src/util/json.js';
import type { Received, ScenarioTransport, Sent } from './exchange.js';
import { pathOf, type RequestedStep, requests, type Scenario, type Step } from './scenario.js';
import { normalized, sortedMessage, Tokens } from './tokens.js';

/** A step whose response or effect differs from the recording. */
export interface FailedStep {
  readonly scenario: string;
  readonly step: number;
  readonly op: string;
  readonly kind: string;
  readonly expected: Json;
  readonly actual: Json;
}

export interface ScenarioReplay {
  readonly passed: number;
  readonly failures: readonly FailedStep[];
}

/**
 * Replays a scenario. Once a step leaves another object than recorded, later steps prove nothing and are not counted.
 *
 * @param tick called before each step: each recorded step has its own second
 */
export async function replayScenario(scenario: Scenario, exchange: ScenarioTransport, tick: () => Promise<void>): Promise<ScenarioReplay> {
  const tokens = new Tokens();
  const failures: FailedStep[] = [];
  let passed = 0;
  let before: JsonObject | undefined;
  let beforeRecorded: JsonObject | undefined;
  for (const [index, step] of scenario.steps.entries()) {
    await tick();
    const received = await exchange(requestOf(step, tokens, before));
    const found = await exchange({ method: 'GET', path: pathOf(step.target) });
    const after = found.code === 200 ? (found.body as JsonObject) : undefined;
    const recorded = recordedLive(step, beforeRecorded);
    learnTimes(tokens, step, received, recorded, after);
    const expected = expectation(step, recorded, tokens, received);
    const actual = normalized({
      result: resultOf(received),
      live: after ?? 'absent',
      rv: effect(before, after),
    }) as Json;
    if (jsonEqual(expected, actual)) passed += 1;
    else {
      failures.push({ scenario: scenario.id, step: index + 1, op: step.op, kind: step.target.kind, expected, actual });
      const { live: liveExpected } = expected as { live: Json };
      if (!jsonEqual(liveExpected, (actual as { live: Json }).live)) break;
    }
    before = after;
    beforeRecorded = recorded;
  }
  return { passed, failures };
}

/** Returns the request of a step, with tokens replaced by the values of this run. */
export function requestOf(step: RequestedStep, tokens: Tokens, before: JsonObject | undefined): Sent {
  const [method, usual] = requests[step.op];
  const text =
    step.rawBody === undefined
      ? step.body === undefined
        ? undefined
        : JSON.stringify(withNodePorts(tokens.fill(step.body), before))
      : tokens.fill(step.rawBody);
  const { target } = step;
  const path = step.op === 'create' ? pathOf({ ...target, name: '' }).replace(/\/$/, '') : pathOf(target, target.subresource);
  return {
    method,
    path,
    ...(step.query === undefined ? {} : { query: step.query }),
    ...(text === undefined ? {} : { body: text }),
    contentType: step.contentType ?? usual,
    ...(step.accept === undefined ? {} : { accept: step.accept }),
  };
}

/** Node ports that the server gave, where a body repeats them. */
function withNodePorts(body: Json, before: JsonObject | undefined): Json {
  const ports = ((before?.spec as JsonObject | undefined)?.ports ?? []) as readonly JsonObject[];
  const fill = (value: Json): Json => {
    if (Array.isArray(value)) return value.map((item) => fill(item as Json));
    if (!isJsonObject(value)) return value;
    const known = ports.find(({ port, protocol }) => port === value.port && protocol === (value.protocol ?? 'TCP'));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, member === '<nodePort>' ? (known?.nodePort as Json) : fill(member as Json)]),
    );
  };
  return fill(body);
}

function recordedLive(step: Step, before: JsonObject | undefined): JsonObject | undefined {
  if (step.live === 'response') return step.result.object;
  if (step.live === 'absent') return undefined;
  if (step.live !== 'unchanged') return step.live;
  // A Gadget may be read in another version than in the previous step.
  return before === undefined ? undefined : { ...before, apiVersion: step.target.apiVersion };
}

function learnTimes(tokens: Tokens, step: Step, received: Received, recorded: JsonObject | undefined, after: JsonObject | undefined): void {
  tokens.learn(step.result.object ?? step.result.status, received.body);
  if (recorded !== undefined) tokens.learn(recorded, after);
}

function expectation(step: Step, recorded: JsonObject | undefined, tokens: Tokens, received: Received): Json {
  const { code, object, status, messages, text, warnings = [] } = step.result;
  const body = object ?? status ?? text ?? null;
  const worded = messages !== undefined && isJsonObject(received.body) ? anyOf(body as JsonObject, messages, received.body) : body;
  return normalized(tokens.fill({ result: { code, body: worded, warnings }, live: recorded ?? 'absent', rv: step.rv } as Json)) as Json;
}

// If the server has several texts for a failure, any of them is correct.
function anyOf(status: JsonObject, messages: readonly string[], received: JsonObject): JsonObject {
  const known = messages.some((message) => sortedMessage(message) === sortedMessage(String(received.message)));
  return known ? { ...status, message: received.message } : status;
}

/** Returns the response in the form of scenarios. */
export function resultOf({ code, body, text, warnings }: Received): JsonObject {
  if (!isJsonObject(body)) return { code, body: text, warnings };
  if (body.kind !== 'Status') return { code, body, warnings };
  const { kind: _, apiVersion: __, metadata: ___, ...status } = body;
  return { code, body: status, warnings };
}

/** Returns the change of the stored object. */
export function effect(before: JsonObject | undefined, after: JsonObject | undefined): Step['rv'] {
  if (after === undefined) return before === undefined ? 'absent' : 'deleted';
  const [old, current] = [before?.metadata, after.metadata] as [JsonObject | undefined, JsonObject];
  if (old === undefined || old.uid !== current.uid) return 'created';
  return old.resourceVersion === current.resourceVersion ? 'same' : 'changed';
}
