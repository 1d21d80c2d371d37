/**
 * A condition: one aspect of an object's state. Source: Kubernetes API conventions, "Typical status properties"; `metav1.Condition`.
 */
export interface Condition {
  /** CamelCase, one condition per type. */
  readonly type: string;
  /** `True` if the aspect holds, `False` if not. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, for programs. */
  readonly reason: string;
  /** A text for people; may be empty. */
  readonly message: string;
  /** RFC 3339: when `status` last changed. */
  readonly lastTransitionTime: string;
  /** The `metadata.generation` that the condition describes. */
  readonly observedGeneration?: number;
}

/** A condition to set; `setCondition` adds its time. */
export type NewCondition = Omit<Condition, 'lastTransitionTime' | 'message'> & { readonly message?: string };

/** The reason of a state, for `ready`, `reconciling` and `stalled`. */
export type ConditionCause = Omit<NewCondition, 'type' | 'status'>;

/** Options of the functions that set conditions. */
export interface ConditionOptions {
  /**
   * Returns the time of a condition whose status changes.
   *
   * @default the system clock
   */
  readonly now?: () => Date;
}

/** Returns the conditions with one set or replaced. The time of the condition changes only if its status changes. */
export function setCondition(
  conditions: readonly Condition[],
  condition: NewCondition,
  { now = () => new Date() }: ConditionOptions = {},
): readonly Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const { type, status, reason, message = '', observedGeneration } = condition;
  const after: Condition = {
    type,
    status,
    reason,
    message,
    lastTransitionTime:
      before?.status === status
        ? before.lastTransitionTime
        : now()
            .toISOString()
            .replace(/\.\d+Z$/, 'Z'),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  return before ? conditions.map((other) => (other === before ? after : other)) : [...conditions, after];
}

/** Returns the conditions except those of the given types. */
export function withoutConditions(conditions: readonly Condition[], ...types: readonly string[]): readonly Condition[] {
  return conditions.filter(({ type }) => !types.includes(type));
}

/**
 * Returns the conditions of an object whose state is as declared: sets Ready to True, and removes Reconciling and Stalled, which kstatus
 * expects only while they are True. Source: kstatus, "Conditions" (`Ready`, and the abnormal-true `Reconciling` and `Stalled`).
 */
export function ready(conditions: readonly Condition[], cause: ConditionCause, options?: ConditionOptions): readonly Condition[] {
  return setCondition(withoutConditions(conditions, 'Reconciling', 'Stalled'), { ...cause, type: 'Ready', status: 'True' }, options);
}

/** Returns the conditions of an object in progress, on which nobody has to act: Ready is False, Reconciling is True. */
export function reconciling(conditions: readonly Condition[], cause: ConditionCause, options?: ConditionOptions): readonly Condition[] {
  const notReady = setCondition(withoutConditions(conditions, 'Stalled'), { ...cause, type: 'Ready', status: 'False' }, options);
  return setCondition(notReady, { ...cause, type: 'Reconciling', status: 'True' }, options);
}

/** Returns the conditions of an object whose state needs an action: Ready is False, Stalled is True. */
export function stalled(conditions: readonly Condition[], cause: ConditionCause, options?: ConditionOptions): readonly Condition[] {
  const notReady = setCondition(withoutConditions(conditions, 'Reconciling'), { ...cause, type: 'Ready', status: 'False' }, options);
  return setCondition(notReady, { ...cause, type: 'Stalled', status: 'True' }, options);
}
