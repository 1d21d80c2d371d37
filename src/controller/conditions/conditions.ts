/**
 * One aspect of an object's state. Source: Kubernetes API conventions, "Typical status properties"; `metav1.Condition`.
 */
export interface Condition {
  /** CamelCase, one condition per type. */
  readonly type: string;
  /** Whether the aspect holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, for programs. */
  readonly reason: string;
  /** For people; may be empty. */
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

/** Returns the conditions with one set, in the place of that of its type. Its time changes only if its status changes. */
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

/** Returns the conditions without those of some types. */
export function withoutConditions(conditions: readonly Condition[], ...types: readonly string[]): readonly Condition[] {
  return conditions.filter(({ type }) => !types.includes(type));
}

/**
 * Returns the conditions of an object that is as declared: Ready is True, Reconciling and Stalled are removed, because kstatus expects them
 * only while they are True. Source: kstatus, "Conditions" (`Ready`, and the abnormal-true `Reconciling` and `Stalled`).
 */
export function ready(conditions: readonly Condition[], cause: ConditionCause, options?: ConditionOptions): readonly Condition[] {
  return setCondition(withoutConditions(conditions, 'Reconciling', 'Stalled'), { ...cause, type: 'Ready', status: 'True' }, options);
}

/** Returns the conditions of an object that is in progress and needs nobody: Ready is False, Reconciling is True. */
export function reconciling(conditions: readonly Condition[], cause: ConditionCause, options?: ConditionOptions): readonly Condition[] {
  const notReady = setCondition(withoutConditions(conditions, 'Stalled'), { ...cause, type: 'Ready', status: 'False' }, options);
  return setCondition(notReady, { ...cause, type: 'Reconciling', status: 'True' }, options);
}

/** Returns the conditions of an object that stays as it is until somebody changes something: Ready is False, Stalled is True. */
export function stalled(conditions: readonly Condition[], cause: ConditionCause, options?: ConditionOptions): readonly Condition[] {
  const notReady = setCondition(withoutConditions(conditions, 'Reconciling'), { ...cause, type: 'Ready', status: 'False' }, options);
  return setCondition(notReady, { ...cause, type: 'Stalled', status: 'True' }, options);
}
