/**
 * One aspect of an object's state. Source: Kubernetes API conventions, "Typical status properties"; `metav1.Condition`.
 */
export interface Condition {
  /** CamelCase, one condition per type. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, for programs. */
  readonly reason: string;
  /** For people; may be empty. */
  readonly message: string;
  /** RFC 3339: when `status` last changed. */
  readonly lastTransitionTime: string;
  /** `metadata.generation` that the condition was found at. */
  readonly observedGeneration?: number;
}

/** A condition to be; the time follows from what was. */
export type NewCondition = Omit<Condition, 'lastTransitionTime' | 'message'> & { readonly message?: string };

/** Why, for the presets. */
export type ConditionCause = Omit<NewCondition, 'type' | 'status'>;

/** Conditions with one set: found by its type, in its place. Its time moves only where its status does. */
export function setCondition(conditions: readonly Condition[], condition: NewCondition, now: Date = new Date()): readonly Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const { type, status, reason, message = '', observedGeneration } = condition;
  const after: Condition = {
    type,
    status,
    reason,
    message,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now.toISOString().replace(/\.\d+Z$/, 'Z'),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  return before ? conditions.map((other) => (other === before ? after : other)) : [...conditions, after];
}

/** Conditions without those of some types. */
export function withoutConditions(conditions: readonly Condition[], ...types: readonly string[]): readonly Condition[] {
  return conditions.filter(({ type }) => !types.includes(type));
}

/**
 * All is as declared. kstatus: Reconciling and Stalled are there only while they are true, so they go. Source: kstatus, "Conditions"
 * (`Ready`, and the abnormal-true `Reconciling` and `Stalled`).
 */
export function ready(conditions: readonly Condition[], cause: ConditionCause, now?: Date): readonly Condition[] {
  return setCondition(withoutConditions(conditions, 'Reconciling', 'Stalled'), { ...cause, type: 'Ready', status: 'True' }, now);
}

/** On its way, with nothing for a person to do: kstatus reads it as in progress. */
export function reconciling(conditions: readonly Condition[], cause: ConditionCause, now?: Date): readonly Condition[] {
  const notReady = setCondition(withoutConditions(conditions, 'Stalled'), { ...cause, type: 'Ready', status: 'False' }, now);
  return setCondition(notReady, { ...cause, type: 'Reconciling', status: 'True' }, now);
}

/** Stuck until somebody changes something: kstatus reads it as failed. */
export function stalled(conditions: readonly Condition[], cause: ConditionCause, now?: Date): readonly Condition[] {
  const notReady = setCondition(withoutConditions(conditions, 'Reconciling'), { ...cause, type: 'Ready', status: 'False' }, now);
  return setCondition(notReady, { ...cause, type: 'Stalled', status: 'True' }, now);
}
