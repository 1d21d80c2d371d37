import type { PrunedContainers } from '../../src/merge/index.js';
import { type Json, type JsonObject, jsonEqual } from '../../src/util/json.js';
import { checkStep } from './check-step.js';
import type { VectorKind } from './kinds.js';
import type { Scenario } from './scenario.js';

export interface ReplayFailure {
  readonly scenario: string;
  /** From 1. */
  readonly step: number;
  readonly op: string;
  readonly expected: Json;
  readonly actual: Json;
}

export interface ReplayResult {
  readonly passed: number;
  readonly failures: readonly ReplayFailure[];
  /** Steps that say nothing about the engine, by reason. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** Checks every step of the scenarios on its own: the recorded state before, the request, the recorded answer. */
export function replay(
  scenarios: Iterable<Scenario>,
  kinds: ReadonlyMap<string, VectorKind>,
  prunedContainers: PrunedContainers = 'keep-empty',
): ReplayResult {
  let passed = 0;
  const failures: ReplayFailure[] = [];
  const skipped = new Map<string, number>();
  for (const { id, kind: name, steps } of scenarios) {
    const kind = kinds.get(name);
    let before: JsonObject | undefined;
    let unseen = false;
    for (const [index, step] of steps.entries()) {
      const after =
        step.live === 'response' ? step.result.object : step.live === 'unchanged' ? before : step.live === 'absent' ? undefined : step.live;
      const check =
        kind === undefined
          ? { skipped: `no schema of ${name}` }
          : attempt(() => checkStep({ step, number: index + 1, before, after, unseen, kind, prunedContainers: prunedContainers }));
      before = after;
      if (step.rv !== 'same') unseen = 'unseen' in check && check.unseen === true;
      if ('skipped' in check) skipped.set(check.skipped, (skipped.get(check.skipped) ?? 0) + 1);
      else if (matches(check.expected, check.actual)) passed += 1;
      else failures.push({ scenario: id, step: index + 1, op: step.op, ...check });
    }
  }
  return { passed, failures, skipped };
}

function attempt<T>(check: () => T): T | { readonly expected: Json; readonly actual: Json } {
  try {
    return check();
  } catch (error) {
    return { expected: 'an answer', actual: String(error instanceof Error ? error.stack : error) };
  }
}

function matches(expected: Json, actual: Json): boolean {
  const any = (expected as { anyOf?: readonly string[] } | null)?.anyOf;
  if (any !== undefined) return any.includes(String((actual as JsonObject | null)?.message));
  return jsonEqual(expected, actual);
}
