import { objectText } from '../../assembly/identity.js';
import type { Assembly, IntentManifest, StackManifest } from '../../assembly/types.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { type HistoryReading, HistoryStore, type StackHistory } from '../history/history-store.js';
import { readBody } from '../history/read-body.js';
import { type KeptObject, restoreValues } from '../history/restore-values.js';
import type { Revision } from '../history/revision.js';
import { noFiles, type RevisionBody } from '../history/revision-body.js';
import { unknownHistoryWarnings } from '../history/unknown-history.js';
import type { StackObjects } from '../history/without-intents.js';
import { DigestKeys } from '../inventory/digest-keys.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import type { RunOptions } from '../run/options.js';
import { withMovedHere } from './moved-here.js';
import { type GoingBack, givenUpAmong, movedObjects, yieldingToStacks } from './moved-objects.js';
import { type NamedHistory, namedHistories } from './named-histories.js';
import { formerNameError, homesOf } from './undeclared-stacks.js';

/** The history of the stack that a program selects. */
export interface OpenHistory {
  readonly program: Assembly;
  readonly cluster: ClusterClient;
  readonly store: HistoryStore;
  readonly stack: StackManifest;
  readonly history: StackHistory;
  readonly keys: DigestKeys;
  readonly inventoryNamespace: string | undefined;
}

/** A revision as it can be planned and deployed. */
export interface OpenRevision {
  readonly revision: Revision;
  /** The program, with the stack of the revision in place of its own. */
  readonly assembly: Assembly;
  /** The revision as it is recorded again. */
  readonly recorded: RevisionBody;
  readonly kept: readonly KeptObject[];
  /** Names of the stacks that declare objects of the revision now, by position of its intent; these objects are left out. */
  readonly moved: ReadonlyMap<number, string>;
  /** Warnings about what has moved here from other stacks since, and stays. */
  readonly movedHere: readonly RunDiagnostic[];
  /** As `assembly`, with all objects that are left out. */
  readonly whole: Assembly;
}

export interface HistorySelection extends Pick<RunOptions, 'stacks' | 'inventoryNamespace'> {
  /** The name of the Secret with a list of revisions that somebody trusts, whatever the inventory knows of it. */
  readonly trustHistory?: string | undefined;
}

/**
 * Opens the history of the one selected stack. If the program no longer declares it, it counts as declared without objects.
 *
 * @throws FieldwiseError `revision-of-several-stacks`, `stack-unknown` (usage), `history-damaged`, `history-forbidden`.
 */
export async function openHistory(
  declaring: Assembly,
  cluster: ClusterClient,
  { stacks = [], inventoryNamespace, trustHistory }: HistorySelection,
  onWarning: (warning: RunDiagnostic) => void,
): Promise<OpenHistory> {
  if (stacks.length > 1 || (stacks.length === 0 && declaring.manifest.stacks.length !== 1)) {
    const names = declaring.manifest.stacks.map(({ name }) => name).join(', ') || 'none';
    throw new FieldwiseError(
      'revision-of-several-stacks',
      'usage',
      'Revisions are numbered per stack, and not exactly one stack is selected',
      {
        next: `Name one stack of the program: ${names}. To roll back all stacks of a deploy, run \`fieldwise rollback --run RUN\`; \`fieldwise history\` lists the runs.`,
      },
    );
  }
  const store = new HistoryStore(cluster, inventoryNamespace);
  const [{ history, declared }] = (await namedHistories(declaring, store, stacks, readingOf(trustHistory))) as [NamedHistory];
  for (const warning of unknownHistoryWarnings(history, store.namespace)) onWarning(warning);
  const stack = declared ?? emptyStack(declaring, history.stack);
  const program = declared ? declaring : withEmptyStack(declaring, stack);
  const keys = new DigestKeys(cluster, inventoryNamespace, onWarning);
  return { program, cluster, store, stack, history, keys, inventoryNamespace };
}

function readingOf(trustHistory: string | undefined): HistoryReading {
  return trustHistory === undefined ? { all: true } : { trusted: { name: trustHistory } };
}

/** @throws FieldwiseError `stack-unknown` if the stack belongs to another app or instance. */
export function emptyStack({ manifest }: Assembly, { app, instance, stack, manager }: StackIdentity): StackManifest {
  if (app !== manifest.app || instance !== manifest.instance) {
    if (homesOf(manifest).some((home) => home.app === app && home.instance === instance)) throw formerNameError({ app, instance, stack });
    throw new FieldwiseError('stack-unknown', 'usage', `Stack ${app}/${instance}/${stack} belongs to another program`, {
      next: `Run the command in the program of app ${app}, with \`--instance ${instance}\`; \`fieldwise history\` shows its revisions here, too.`,
    });
  }
  return { name: stack, manager, dependsOn: [], ...noFiles(stack), prune: false, intents: [] };
}

/** Adds a stack without objects to a program. */
export function withEmptyStack({ manifest, objects }: Assembly, stack: StackManifest): Assembly {
  return { manifest: { ...manifest, stacks: [...manifest.stacks, stack] }, objects: [...objects, []] };
}

/** The revision to which a stack goes back. */
export interface ChosenRevision {
  readonly chosen: Revision;
  /** The numbers of newer revisions that would have been chosen, if their declarations were stored. */
  readonly passedOver: readonly number[];
}

/**
 * Returns the revision with a number; without one, the newest one that succeeded with other declarations than those that are deployed, and
 * whose declarations are stored.
 *
 * @param isLastDeployed false if something else than the last revision is deployed: then the last one has other declarations, too.
 * @throws FieldwiseError `revision-unknown`, `revision-not-stored` (usage).
 */
export function chooseRevision(
  { stack, history: { revisions } }: Pick<OpenHistory, 'stack' | 'history'>,
  number?: number,
  isLastDeployed = true,
): ChosenRevision {
  const current = isLastDeployed ? revisions.at(-1) : undefined;
  const fitting = revisions
    .filter((one) =>
      number === undefined ? one !== current && one.result === 'succeeded' && one.digest !== current?.digest : one.revision === number,
    )
    .reverse();
  const chosen = fitting.find(({ body }) => body !== undefined);
  if (chosen !== undefined) return { chosen, passedOver: fitting.slice(0, fitting.indexOf(chosen)).map(({ revision }) => revision) };
  if (fitting.length > 0) throw notStoredError(stack, fitting);
  const what = number === undefined ? 'no earlier revision that succeeded with other declarations' : `no revision ${number}`;
  const numbers = revisions.map(({ revision }) => revision).join(', ') || 'none';
  throw new FieldwiseError('revision-unknown', 'usage', `The history of stack ${stack.name} has ${what}`, {
    next: `Its revisions are: ${numbers}. \`fieldwise history\` shows them.`,
  });
}

function notStoredError({ name }: StackManifest, revisions: readonly Revision[]): FieldwiseError {
  const numbers = revisions.map(({ revision }) => revision).join(', ');
  const which = revisions.length === 1 ? `revision ${numbers}` : `revisions ${numbers}`;
  return new FieldwiseError(
    'revision-not-stored',
    'usage',
    `The declarations of ${which} of stack ${name} are not stored: they were too large, or newer ones took their place`,
    { next: 'Choose another revision. `history.maxBytes` in fieldwise.yaml raises the limit for later deploys.' },
  );
}

/**
 * Reads a revision and puts live values in place of the values of Secrets that it leaves out. Changes nothing.
 *
 * @param others the stacks that go back in the same run.
 * @throws FieldwiseError `history-damaged`, `history-forbidden`; ApiError if a Secret of the stack cannot be read.
 */
export async function openRevision(opened: OpenHistory, revision: Revision, others: readonly GoingBack[] = []): Promise<OpenRevision> {
  const { program, cluster, stack, keys, inventoryNamespace } = opened;
  const stored = await readBody(opened, revision);
  const here = await withMovedHere(
    opened,
    revision,
    stored,
    others.map((other) => other.stack),
  );
  const { body } = here;
  const moving = { program, cluster, stack, inventoryNamespace };
  const moved = await movedObjects(moving, body.stack);
  const restored = await restoreValues(cluster, body, {
    stack: yieldingToStacks(moving, asDeclaredNow(body.stack, stack, program)),
    left: new Set(moved.keys()),
    givenUpBy: givenUpAmong(cluster, others),
    keyOf: () => keys.get(stack.manager, false),
  });
  const { recorded, kept, whole } = restored;
  const deployed = (one: StackObjects) => withStack(program, stack, one, revision);
  return { revision, assembly: deployed(restored), recorded, kept, moved, movedHere: here.warnings, whole: deployed(whole) };
}

/** Returns the stack of a revision with its relations to what is declared now: files, former names, and stacks that still exist. */
export function asDeclaredNow(
  revision: StackManifest,
  { formerIdentities, json, yaml }: StackManifest,
  { manifest }: Assembly,
): StackManifest {
  const names = new Set(manifest.stacks.map(({ name }) => name));
  const dependsOn = revision.dependsOn.filter((name) => names.has(name));
  return { ...revision, json, yaml, dependsOn, ...(formerIdentities ? { formerIdentities } : {}) };
}

function withStack({ manifest, objects }: Assembly, replaced: StackManifest, restored: StackObjects, { inputs }: Revision): Assembly {
  const { inputs: _, unset: __, ...program } = manifest; // The revision had read what it is recorded with.
  const position = manifest.stacks.indexOf(replaced);
  return {
    manifest: { ...program, ...(inputs ? { inputs } : {}), stacks: manifest.stacks.with(position, restored.stack), warnings: [] },
    objects: objects.with(position, restored.objects),
  };
}

/** Returns the warnings about what a rollback leaves out: objects of other stacks, and values that the revision does not contain. */
export function revisionWarnings(opened: OpenRevision): readonly RunDiagnostic[] {
  const { recorded, moved, movedHere } = opened;
  const movedWarnings = [...moved].map(
    ([index, stack]): RunDiagnostic => ({
      event: 'warning',
      code: 'moved-object-left-out',
      message: `${objectText(recorded.stack.intents[index] as IntentManifest)} is left out, because stack ${stack} declares it now`,
      next: 'To take it back, roll back the move in the program, and deploy both stacks.',
    }),
  );
  return [...movedWarnings, ...movedHere, ...keptWarnings(opened)];
}

function keptWarnings({ revision: { revision }, kept: objects }: OpenRevision): readonly RunDiagnostic[] {
  return objects.map(({ object, exists, kept, changed, unknown, lost, gone }) => ({
    event: 'warning',
    code: 'values-kept',
    message: exists
      ? [
          ...(kept.length > 0 ? [`${object} keeps the values of ${kept.join(', ')}, which revision ${revision} does not contain`] : []),
          ...(changed.length > 0 ? [`changed since that revision: ${changed.join(', ')}`] : []),
          ...(unknown.length > 0 ? [`perhaps changed since that revision: ${unknown.join(', ')}`] : []),
          ...(lost.length > 0 ? [`${object} is left as it is in ${lost.join(', ')}, which the stack does not own`] : []),
          ...(gone.length > 0 ? [`${object} is left without ${gone.join(', ')}, whose values revision ${revision} does not contain`] : []),
        ].join('; ')
      : `${object} does not exist and is left out, because revision ${revision} does not contain the values of ${gone.join(', ')}`,
    ...(exists ? {} : { next: 'Deploy the program that declares it.' }),
  }));
}
