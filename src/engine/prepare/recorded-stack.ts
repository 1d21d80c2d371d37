import type { ProgramInput } from '../../assembly/program-input.js';
import type { StackManifest } from '../../assembly/types.js';
import type { Step } from '../graph/waves.js';
import { HistoryStore } from '../history/history-store.js';
import { readLastRevision } from '../history/last-revision.js';
import type { OmittedValue } from '../history/omitted-values.js';
import { type PreparedRun, type PrepareOptions, prepareResolvedRun, readSteps, stackIdentityOf } from './prepare-run.js';

/** An intent of the last revision of its stack. */
export interface RecordedIntent {
  readonly step: Step;
  /** The values that a revision of a Secret leaves out; undefined for anything else. */
  readonly omitted: readonly OmittedValue[] | undefined;
}

/** The last revision of a stack, in the scopes of the server. */
export interface RecordedStack {
  readonly revision: number;
  /** The inputs that its program had read; undefined where they are not recorded. */
  readonly inputs: readonly ProgramInput[] | undefined;
  /** The revision to which it went back. */
  readonly rollbackTo: number | undefined;
  /** By identity key. */
  readonly intents: ReadonlyMap<string, RecordedIntent>;
}

/** Reads the last revision of a stack, under its name or a former one; undefined where none can be read. */
export async function readRecordedStack(
  { assembly: { manifest }, cluster }: Pick<PreparedRun, 'assembly' | 'cluster'>,
  stack: StackManifest,
  options: PrepareOptions,
): Promise<RecordedStack | undefined> {
  const names = [stackIdentityOf({ manifest, objects: [] }, stack), ...(stack.formerIdentities ?? [])];
  const last = await readLastRevision(new HistoryStore(cluster, options.inventoryNamespace), names);
  if (last === undefined) return undefined;
  const { revision, inputs, rollbackTo, body } = last;
  const program = { manifest: { ...manifest, stacks: [{ ...body.stack, dependsOn: [] }] }, objects: [body.objects] };
  const steps = await readSteps(prepareResolvedRun(program, cluster, { ...options, stacks: [] }), options);
  return {
    revision,
    inputs,
    rollbackTo,
    intents: new Map(steps.map((step) => [step.key, { step, omitted: body.omitted.get(step.index) }])),
  };
}
