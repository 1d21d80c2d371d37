import type { JsonObject } from '../../../util/json.js';
import type { CauseEvent, CauseName } from '../../report/readiness-cause.js';

/** Something in a pod, a workload or its events that keeps the workload from becoming ready. */
export interface Symptom {
  readonly cause: CauseName;
  /** Equal for the same symptom of the same object at two looks. */
  readonly key: string;
  /** One word of Kubernetes, such as `ImagePullBackOff`. */
  readonly reason: string;
  /** For a person, without a full stop. */
  readonly message: string;
  /** The pod that shows it; absent if the workload itself does. */
  readonly pod?: JsonObject;
  readonly container?: string;
  readonly exitCode?: number;
  readonly restarts?: number;
  /** The kind of the probe that fails. */
  readonly probe?: string;
  readonly event?: CauseEvent;
  /** The fields that it may be about, the likeliest first; `template` is the path of the pod template. */
  readonly fields: (template: string) => readonly string[];
  /** Seconds for which it must be seen until it is certain; absent if it never is. */
  readonly certainAfterSeconds?: number;
  /** Returns true if the events of the pod make it certain at once. */
  readonly isConfirmedBy?: (events: readonly JsonObject[]) => boolean;
  /** It may be from before the apply, and then must be seen for longer. */
  readonly mayBeOld: boolean;
}

/** Seconds after which a failure counts that may be from before the apply: the longest pause in which the kubelet tries again. */
export const oldFailureSeconds = 300;

/** Seconds for which a cause must be seen until it is certain; docs/deploy.md has the table. */
export const certainAfterSeconds = {
  imagePull: 15,
  containerConfig: 60,
  readinessProbe: 180,
  volume: 120,
  unschedulable: 120,
  refused: 30,
} as const;

/** The restarts from which a crash is certain. */
export const certainRestarts = 3;

/** The causes in the order in which they explain most: the first one is reported if there are several. */
export const causeOrder: readonly CauseName[] = [
  'crash',
  'image-pull',
  'container-config',
  'job-failed',
  'volume',
  'unschedulable',
  'quota',
  'admission',
  'probe',
  'pod-failed',
];
