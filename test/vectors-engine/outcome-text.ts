import type { ApplyOutcome } from '../../src/ownership/index.js';
import type { Json } from '../../src/util/json.js';
import type { Step } from './scenario.js';

/** Returns a recorded failure in the form of `outcomeText`. If the server has several texts for it, any of them is correct. */
export function recordedFailure({ result }: Step): Json {
  const { message, details } = result.status as { message: string; details?: { causes?: Json } };
  if (result.messages !== undefined) return { anyOf: result.messages };
  return result.code === 409 ? { message, causes: sortedByText(details?.causes) } : { message, code: result.code };
}

/** Returns the engine's outcome, for comparison with a recorded failure. */
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
