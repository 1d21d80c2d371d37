import { managersOf, objectText } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import type { ChangedDefinitions } from '../../engine/addresses/changed-definitions.js';
import type { Unchanged } from '../../engine/apply/skip/find-unchanged.js';
import type { NoopFingerprints } from '../../engine/apply/skip/noop-fingerprint.js';
import type { SchemaFingerprints } from '../../engine/apply/skip/schema-fingerprints.js';
import { dependsOn } from '../../engine/graph/depends-on.js';
import type { Step } from '../../engine/graph/waves.js';
import type { DeployReadiness } from '../../engine/readiness/deploy-readiness.js';
import type { LatestResourceVersions } from '../../engine/run/latest-resource-versions.js';
import type { StackState } from '../../engine/run/stack-state.js';
import type { FieldTransfer } from '../../engine/transfer/field-transfers.js';
import type { NewOwner } from '../../engine/transfer/other-stacks.js';
import { emptyFieldSet, membersOf, valueAt } from '../../fields/index.js';
import { applyEntryOf } from '../../ownership/index.js';
import type { ForcedConflict } from '../../plan/forced-by-both.js';
import type { JsonObject } from '../../util/json.js';
import type { ForceNotes } from './force-notes.js';

/** Steps that did not succeed, with the reason that the reports of dependent steps give. */
export type FailedSteps = ReadonlyMap<Step, 'did not succeed' | 'is not ready'>;

/** The part of a deploy that later steps need of earlier ones. The maps and lists grow while the waves are applied. */
export interface DeployProgress {
  /** By stack name. */
  readonly states: ReadonlyMap<string, StackState>;
  /** The field managers of the stacks of this run, also their former ones. */
  readonly managers: ReadonlySet<string>;
  /** The managers that share an object and never create it, by identity key. */
  readonly sharers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Intents that need no request, unless another stack of the run applies to the same object. */
  readonly unchanged: ReadonlyMap<Step, Unchanged>;
  /** The live objects, as JSON, of unchanged intents whose objects differ from the declaration. */
  readonly drifted: ReadonlyMap<Step, string>;
  /**
   * The steps whose PATCH is known to be seen by no admission, with the resourceVersion at which their object had the declared values; empty
   * where nobody looked.
   */
  readonly unobserved: ReadonlyMap<Step, string>;
  /** Absent with `reconcile: full`, and where `auto` sends everything because it is little. */
  readonly schemaFingerprints: SchemaFingerprints | undefined;
  readonly noopFingerprints: NoopFingerprints;
  readonly readiness: DeployReadiness;
  readonly latestVersions: LatestResourceVersions;
  readonly changedDefinitions: ChangedDefinitions;
  /** The identity keys of the objects to which a step of this run has applied, or has tried to. */
  readonly appliedKeys: Set<string>;
  readonly forceNotes: ForceNotes;
  /** The steps that could not claim what other stacks give up in this run, and why: these stacks keep it. */
  readonly unclaimed: ReadonlyMap<Step, FailedClaim>;
  /** The paths of the fields that steps have claimed of what other stacks give up. */
  readonly claimed: ReadonlyMap<Step, readonly string[]>;
  /** The fields that this run has taken by force. */
  readonly forcedConflicts: ForcedConflict[];
  readonly failed: Map<Step, 'did not succeed' | 'is not ready'>;
}

/** A claim that failed. */
export interface FailedClaim {
  readonly transfers: readonly FieldTransfer[];
  readonly error: unknown;
}

/** The facts about a deploy that explain why a step or a removal must be left out. */
export interface TransferFacts {
  readonly unclaimed?: DeployProgress['unclaimed'];
  readonly transfers: ReadonlyMap<Step, FieldTransfer>;
  readonly states: ReadonlyMap<string, Pick<StackState, 'succeededKeys'>>;
}

/** Returns the reason why a step cannot be applied: a declared dependency did not succeed. Order by kind alone is not a dependency. */
export function failedDependency(step: Step, failed: FailedSteps, facts: TransferFacts): string | undefined {
  for (const [other, failure] of failed) {
    if (other.stack === step.stack && dependsOn(step.stack, step.index, other.index)) {
      return `it depends on ${objectText(other.intent)}, which ${failure}`;
    }
    if (step.stack.dependsOn.includes(other.stack.name)) return `its stack depends on ${other.stack.name}, which ${failure}`;
  }
  return failedTransfer(step.key, managersOf(step.stack), facts);
}

/**
 * Returns the reason why a stack must keep fields: their new owner in this run does not own them yet.
 *
 * @param previousOwners the managers that the stack has and had.
 */
export function failedTransfer(
  key: string,
  previousOwners: readonly string[],
  { transfers, states, unclaimed = new Map() }: TransferFacts,
): string | undefined {
  for (const [step, { transfers: claimed }] of unclaimed) {
    if (step.key === key && claimed.some(({ previousOwner }) => previousOwners.includes(previousOwner)))
      return `stack ${step.stack.name}, which declares fields of it now, could not get them`;
  }
  for (const [step, transfer] of transfers) {
    if (step.key !== key || !previousOwners.includes(transfer.previousOwner) || states.get(step.stack.name)?.succeededKeys.has(key))
      continue;
    return `stack ${step.stack.name}, the new owner of its fields, did not succeed`;
  }
  return undefined;
}

/**
 * Returns the reason why a stack must keep its part of an object: it has a field that another stack of this run declares and does not own yet.
 *
 * @param live the object, as it was read.
 */
export function failedRecipient(
  key: string,
  stack: StackManifest,
  live: JsonObject | undefined,
  failed: Iterable<Step>,
  states: TransferFacts['states'],
): string | undefined {
  const besides = [...failed].filter(
    (step) => step.key === key && step.stack !== stack && !states.get(step.stack.name)?.succeededKeys.has(key),
  );
  if (besides.length === 0) return undefined;
  const paths = managersOf(stack).flatMap((manager) => membersOf(applyEntryOf(live, manager)?.fields ?? emptyFieldSet));
  const recipient = besides.find(({ object }) => paths.some(({ path, leaf }) => leaf && valueAt(object, path) !== undefined));
  return recipient && `stack ${recipient.stack.name}, which declares fields of it now, did not succeed`;
}

/** Returns the reason why a stack must keep an object: its new owner in this run does not own it yet. */
export function failedNewOwner(key: string, newOwner: NewOwner | undefined, { states }: TransferFacts): string | undefined {
  if (newOwner === undefined || newOwner.inventory || states.get(newOwner.stack.stack)?.succeededKeys.has(key)) return undefined;
  return `stack ${newOwner.stack.stack}, which declares it now, did not succeed`;
}
