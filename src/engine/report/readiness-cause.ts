import type { Declaration } from '../../assembly/types.js';

/**
 * The cause for which a workload does not become ready. Each says from when on it is certain. Source: Kubernetes documentation "Images",
 * "Pod Lifecycle", "Configure Liveness, Readiness and Startup Probes", "Resource Quotas", "Jobs".
 */
export type CauseName =
  /** An image cannot be pulled. Certain after two failed pulls, or 15 s; at once if its name is invalid or the policy is `Never`. */
  | 'image-pull'
  /** A container cannot be created: a Secret, ConfigMap or key is missing, or its command cannot be run. Certain after 60 s. */
  | 'container-config'
  /** A container ends and is started again. Certain with three restarts, the last of which has ended. */
  | 'crash'
  /**
   * A probe fails. A liveness or startup probe: like `crash`, because the kubelet restarts the container. A readiness probe: certain after
   * three times the time in which it may fail (`initialDelaySeconds` + `periodSeconds` × `failureThreshold`), at least 180 s.
   */
  | 'probe'
  /** A volume cannot be mounted or attached, or the pod has no sandbox. Certain after 120 s, in which the kubelet tries again. */
  | 'volume'
  /** No node accepts a pod. Certain after `wait.unschedulableSeconds` (120 s), in which an autoscaler may add a node. */
  | 'unschedulable'
  /** A quota refuses new pods. Certain after 30 s. */
  | 'quota'
  /** Admission refuses new pods: a policy, a webhook, a missing service account. Certain after 30 s. */
  | 'admission'
  /** The pods of a Job fail. Certain when the Job has failed. */
  | 'job-failed'
  /** A pod has failed or was evicted, and is replaced. Certain only of a Pod that has no controller. */
  | 'pod-failed';

/** The event of Kubernetes that says most about a cause. */
export interface CauseEvent {
  /** Such as `FailedScheduling`. */
  readonly reason: string;
  readonly message: string;
  /** How often it has occurred; absent if its reporter does not count. */
  readonly count?: number;
}

/** The declaration of the field that the cause is about. */
export interface CauseSource {
  /** Path such as `.spec.template.spec.containers[name="web"].image`. */
  readonly field: string;
  /** The stack that declares it. */
  readonly stack: string;
  /** The declarations of the object in that stack, with their source lines. */
  readonly declaredBy: readonly Declaration[];
}

/** The cause for which an object is not ready, with what is known of it. */
export interface ReadinessCause {
  readonly cause: CauseName;
  /** True if it will not go away by itself, by the table of causes; false if it is only the best explanation at the end of the wait. */
  readonly certain: boolean;
  /** For a person, without a full stop. */
  readonly message: string;
  /** The object that shows the cause, such as `Pod shop/web-5d8f-x2x7q`. */
  readonly object: string;
  readonly container?: string;
  /** The exit code with which the container ended last. */
  readonly exitCode?: number;
  readonly restarts?: number;
  readonly event?: CauseEvent;
  /** The last lines of the log of the container, at most 20. Known values of Secrets are masked. */
  readonly log?: readonly string[];
  readonly source?: CauseSource;
}
