import type { ApplyOutcome } from '../../src/ownership/index.js';
import type { Json } from '../../src/util/json.js';
import type { Step } from './scenario.js';

/** A recorded failure, in the form of `outcomeText`. Where the server words it in several ways, any of them will do. */
export function recordedFailure({ result }: Step): Json {
  const { message, details } = result.status as { message: string; details?: { causes?: Json } };
  if (result.messages !== undefined) return { anyOf: result.messages };
  return result.code === 409 ? { message, causes: sortedByText(details?.causes) } : { message, code: result.code };
}

/** What the engine answers, for comparison with a recorded failure. */
export function outcomeText(outcome: ApplyOutcome): Json {
  if (outcome.outcome === 'applied') return 'applied';
  if (outcome.outcome === 'error') return { message: outcome.message, code: outcome.code };
  return { message: outcome.message, causes: sortedByText(outcome.causes as unknown as Json) };
}

// The server gives the causes in no fixed order; the recordings sort them by their JSON text.
function sortedByText(causes: Json | undefined): Json {
  const text = (cause: Json) => JSON.stringify(cause, Object.keys(cause as object).toSorted());
  return Array.isArray(causes) ? (causes as Json[]).toSorted((a, b) => (text(a) < text(b) ? -1 : 1)) : [];
}
