import { objectText } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { guardDiagnostics, type MovedFields } from '../../engine/guards/guard-diagnostics.js';
import type { EventHost } from '../../engine/report/events.js';
import type { RunOptions } from '../../engine/run/options.js';
import { isTransfer } from '../../engine/transfer/ownership-transfers.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { type EntryIdentity, isOfClientSideKubectl } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { timeText } from '../../util/machine.js';
import {
  type AdoptionCandidate,
  type AdoptionCandidates,
  findCandidates,
  type PrunedElsewhere,
  prunedElsewhere,
} from './adoption-candidates.js';
import { type Adoption, adoptionOf, carryOutAdoptions, recordedAdoptions } from './carry-out-adoptions.js';
import type { AdoptionRecord } from './record.js';
import { runAdoption } from './run-adoption.js';

export interface AdoptOptions
  extends Pick<RunOptions, 'stacks' | 'inventoryNamespace' | 'concurrency' | 'lockTimeoutSeconds' | 'leaseDurationSeconds' | 'signal'> {
  /** Field managers to adopt from, by exact name. @default the managers of kubectl without server-side apply */
  readonly from?: readonly string[];
  /** Receives the planned adoptions before anything is changed; resolves to true if they may be carried out. */
  readonly confirm: (adoptions: readonly Adoption[]) => Promise<boolean>;
  /**
   * Receives the objects that would only be released when they are no longer declared, because they existed before their stack; resolves to
   * true if their stack may delete them from now on. Absent means no.
   */
  readonly confirmLifecycle?: (objects: readonly string[]) => Promise<boolean>;
  /** Stores the record of the adoption before the first change; if it throws, nothing is changed. */
  readonly record: (record: AdoptionRecord) => Promise<void>;
}

/** The result of an adoption, with the objects that could not be adopted. */
export interface AdoptionResult {
  readonly adoptions: readonly Adoption[];
  /** Objects that the stack has not deployed yet, so that it owns none of their fields. */
  readonly notDeployed: readonly string[];
  /** Objects that their stack may now delete. */
  readonly transferredLifecycles: readonly string[];
  /** Objects that their stack could delete, if it had been confirmed; they are only released. */
  readonly released: readonly string[];
  /** Objects that are only released when they are no longer declared, because others apply fields to them. */
  readonly retained: readonly { readonly object: string; readonly by: readonly string[] }[];
  /** Objects of the stacks that another tool prunes. */
  readonly prunedElsewhere: readonly PrunedElsewhere[];
}

/**
 * Ends other managers' ownership of fields that the selected stacks declare and have owned since their last deploy. Other fields of these
 * managers keep their owners. The only value that changes is the annotation of client-side apply, from which all fields of the stacks are removed, owned
 * by other managers or not.
 *
 * @throws FieldwiseError `confirmation-needed`, `adopt-from-stack`, `stack-unknown`, and the errors of locks and inventories.
 */
export async function adopt(assembly: Assembly, cluster: ClusterClient, options: AdoptOptions, host: EventHost): Promise<AdoptionResult> {
  requireNoStack(options.from);
  const { app, instance } = assembly.manifest;
  return runAdoption(assembly, cluster, options, host, async ({ session, identities, steps }) => {
    const found = await findCandidates(session, steps, options, (live) => ({ live, isAdoptable: isAdoptable(options) }));
    const fields = found.found.filter(({ transfers }) => isTransfer(transfers));
    for (const warning of await guardDiagnostics(session.cluster, fields.map(movedFieldsOf))) host(warning);
    for (const warning of found.inLastApplied) host(warning);
    if (fields.length > 0 && !(await options.confirm(fields.map(adoptionOf)))) throw adoptionRefusedError();
    const { lifecycles, released } = await askLifecycles(found.found, options);
    const facts = { ...factsOf(found), released };
    const objects = recordedAdoptions(found.found, { fields, lifecycles });
    if (objects.length === 0) return { adoptions: [], transferredLifecycles: [], ...facts };
    await options.record({ app, instance, server: cluster.server, time: timeText(cluster.machine), objects });
    return { ...(await carryOutAdoptions(session, identities, { fields, lifecycles }, options)), ...facts };
  });
}

/** Returns the fields that a stack gets, whose values stay. */
function movedFieldsOf(candidate: AdoptionCandidate): MovedFields {
  const { intent, stack } = candidate.step;
  const fields = adoptionOf(candidate).transfers.flatMap((transfer) => transfer.fields);
  return { object: intent, manager: stack.manager, fields: [...new Set(fields)], changed: [] };
}

/** Asks for the right to delete objects that existed before their stacks: `lifecycles` get it, and those of `released` do not. */
export async function askLifecycles(
  found: readonly AdoptionCandidate[],
  { confirmLifecycle }: Pick<AdoptOptions, 'confirmLifecycle'>,
): Promise<{ readonly lifecycles: readonly AdoptionCandidate[]; readonly released: readonly string[] }> {
  const offered = found.filter(({ canTransferLifecycle }) => canTransferLifecycle);
  const objects = offered.map(({ step }) => objectText(step.intent));
  const approved = offered.length > 0 && (await confirmLifecycle?.(objects)) === true;
  return approved ? { lifecycles: offered, released: [] } : { lifecycles: [], released: objects };
}

/** Returns the part of a result that was known before the first change. */
export function factsOf(found: AdoptionCandidates): Pick<AdoptionResult, 'notDeployed' | 'retained' | 'prunedElsewhere'> {
  return {
    notDeployed: found.notDeployed.map(({ intent }) => objectText(intent)),
    retained: found.retained,
    prunedElsewhere: prunedElsewhere(found),
  };
}

/** Returns the error of an adoption that nobody confirmed. */
export function adoptionRefusedError(): FieldwiseError {
  return new FieldwiseError('confirmation-needed', 'usage', 'The adoption was not confirmed, and nothing was changed', {
    next: 'Read the preview, then run again with --yes.',
  });
}

/** @throws FieldwiseError `adopt-from-stack`. */
function requireNoStack(from: AdoptOptions['from']): void {
  const ofStack = from?.find((manager) => manager.startsWith('fieldwise/'));
  if (ofStack === undefined) return;
  throw new FieldwiseError('adopt-from-stack', 'usage', 'Fields of another stack need a handoff, not an adoption', {
    location: { manager: ofStack },
    next: `Declare them in the stack that is to own them, then run \`fieldwise handoff --from manager:${ofStack} --to STACK\` with its name.`,
  });
}

/**
 * Returns the test for entries to adopt from. kubectl's manager names begin with `kubectl`; the server's own names stand for fields from
 * before the first apply (`before-first-apply`) and for old entries of updaters (`ancient-changes`).
 */
function isAdoptable({ from }: Pick<AdoptOptions, 'from'>): (entry: EntryIdentity) => boolean {
  if (from !== undefined) return ({ manager }) => from.includes(manager);
  return isOfClientSideKubectl;
}
