import { admissionLookOf } from '../../engine/apply/skip/admission-look-of.js';
import { findUnchanged, type SkipCandidate, type Unchanged } from '../../engine/apply/skip/find-unchanged.js';
import { NoopFingerprints } from '../../engine/apply/skip/noop-fingerprint.js';
import type { AdmissionLook } from '../../engine/apply/skip/observers/admission-look.js';
import { SchemaFingerprints } from '../../engine/apply/skip/schema-fingerprints.js';
import { SentInFull } from '../../engine/apply/skip/sent-in-full.js';
import type { Step } from '../../engine/graph/waves.js';
import { isSelected } from '../../engine/prepare/select-stacks.js';
import { effectiveReconcile, type Reconcile } from '../../engine/run/options.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import type { ConfirmedDeploy } from './confirm-deploy.js';
import type { DeployProgress } from './deploy-progress.js';

type Found = Pick<DeployProgress, 'unchanged' | 'drifted' | 'unobserved' | 'schemaFingerprints' | 'noopFingerprints'>;

/** Finds the steps of a deploy that need no request. */
export class SkippableSteps {
  readonly #deploy: ConfirmedDeploy;
  readonly #candidates: readonly SkipCandidate[];
  readonly #mode: Reconcile;
  readonly #admission: AdmissionLook | undefined;

  /** Starts to read the configuration of admission if `reconcile: auto` needs it. */
  constructor(deploy: ConfirmedDeploy) {
    const { options, states, steps, session, run } = deploy;
    const known = new Map(states.map(({ stack, before }) => [stack.name, before.entries]));
    const candidates = steps
      .filter((step) => isSelected(step, options))
      .map((step) => ({ step, known: known.get(step.stack.name)?.get(step.key) }));
    this.#deploy = deploy;
    this.#candidates = candidates;
    this.#mode = effectiveReconcile(options.reconcile, candidates.length);
    this.#admission = run.stopped === undefined ? admissionLookOf(session.cluster, candidates, this.#mode) : undefined;
  }

  async find(): Promise<Found> {
    const { session, run, host, concurrency } = this.#deploy;
    const drifted = new Map<Step, string>();
    const unobserved = new Map<Step, string>();
    const noopFingerprints = new NoopFingerprints();
    const schemaFingerprints = this.#mode === 'full' ? undefined : new SchemaFingerprints(session.cluster);
    const none = new Map<Step, Unchanged>();
    const isLooking = this.#mode === 'changed' || this.#admission !== undefined;
    if (schemaFingerprints === undefined || !isLooking || run.stopped !== undefined)
      return { unchanged: none, drifted, unobserved, schemaFingerprints, noopFingerprints };
    const sent = new SentInFull();
    const unchanged = await findUnchanged(session.cluster, this.#candidates, {
      schemaFingerprints,
      noopFingerprints,
      concurrency,
      admission: this.#admission,
      onDrifted: (step, live) => drifted.set(step, stringifyExactJson(live)),
      onSeen: (step, source) => sent.add(step, source),
      onUnseen: (step, resourceVersion) => unobserved.set(step, resourceVersion),
    });
    const event = sent.event();
    if (event) host(event);
    return { unchanged, drifted, unobserved, schemaFingerprints, noopFingerprints };
  }
}
