import { objectText } from '../../assembly/identity.js';
import type { Unchanged } from '../../engine/apply/skip/find-unchanged.js';
import type { NoopFingerprints } from '../../engine/apply/skip/noop-fingerprint.js';
import type { SchemaFingerprints } from '../../engine/apply/skip/schema-fingerprints.js';
import { dependsOn } from '../../engine/graph/depends-on.js';
import type { Step } from '../../engine/graph/waves.js';
import type { StackState } from '../../engine/inventory/stack-state.js';
import type { DeployReadiness } from '../../engine/readiness/deploy-readiness.js';
import type { LatestResourceVersions } from '../../engine/run/latest-resource-versions.js';
import type { FieldTransfer } from '../../engine/transfer/field-transfers.js';
import type { NewOwner } from '../../engine/transfer/other-stacks.js';
import type { ForcedConflict } from '../../plan/forced-by-both.js';

/** Steps that did not succeed, and how the steps that depend on them say so. */
export type FailedSteps = ReadonlyMap<Step, 'did not succeed' | 'is not ready'>;

/** The part of a deploy that later steps need of earlier ones. The maps and lists grow while the waves are applied. */
export interface DeployProgress {
  /** By name of the stack. */
  readonly states: ReadonlyMap<string, StackState>;
  /** Field managers of the stacks of this run. */
  readonly managers: ReadonlySet<string>;
  /** Managers that share an object and never create one, by identity key. */
  readonly sharers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Intents for which nothing needs to be sent; an apply of the same object by another stack voids it. */
  readonly unchanged: ReadonlyMap<Step, Unchanged>;
  /** Objects of unchanged intents that were read and are not as declared, as JSON. */
  readonly drifted: ReadonlyMap<Step, string>;
  /** Present with `reconcile: changed`. */
  readonly schemaFingerprints: SchemaFingerprints | undefined;
  readonly noopFingerprints: NoopFingerprints;
  readonly readiness: DeployReadiness;
  readonly latestVersions: LatestResourceVersions;
  /** Identity keys of the objects that a step of this run has applied, or has tried to. */
  readonly appliedKeys: Set<string>;
  /** The fields that this run has taken by force. */
  readonly forcedConflicts: ForcedConflict[];
  readonly failed: Map<Step, 'did not succeed' | 'is not ready'>;
}

/** The facts about a deploy that explain why a step or a removal must be left out. */
export interface TransferFacts {
  readonly transfers: ReadonlyMap<Step, FieldTransfer>;
  readonly states: ReadonlyMap<string, Pick<StackState, 'succeededKeys'>>;
}

/** Returns why a step cannot be applied: a declared dependency did not succeed. Order by kind alone is not a dependency. */
export function failedDependency(step: Step, failed: FailedSteps, facts: TransferFacts): string | undefined {
  for (const [other, what] of failed) {
    if (other.stack === step.stack && dependsOn(step.stack, step.index, other.index)) {
      return `it depends on ${objectText(other.intent)}, which ${what}`;
    }
    if (step.stack.dependsOn.includes(other.stack.name)) return `its stack depends on ${other.stack.name}, which ${what}`;
  }
  return failedTransfer(step.key, step.stack.manager, facts);
}

/** Returns why a manager must keep fields: a stack that is to take them over does not own them yet. */
export function failedTransfer(key: string, previousOwner: string, { transfers, states }: TransferFacts): string | undefined {
  for (const [step, transfer] of transfers) {
    if (step.key !== key || transfer.previousOwner !== previousOwner || states.get(step.stack.name)?.succeededKeys.has(key)) continue;
    return `stack ${step.stack.name}, which takes fields of it over, did not succeed`;
  }
  return undefined;
}

/** Returns why a stack must keep an object: the stack of the run that is to own it in its place does not yet. */
export function failedNewOwner(key: string, newOwner: NewOwner | undefined, { states }: TransferFacts): string | undefined {
  if (newOwner === undefined || newOwner.inventory || states.get(newOwner.stack.stack)?.succeededKeys.has(key)) return undefined;
  return `stack ${newOwner.stack.stack}, which declares it now, did not succeed`;
}
