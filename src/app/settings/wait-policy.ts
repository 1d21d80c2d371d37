/** The limits of the wait for an object. */
export interface WaitPolicy {
  /**
   * Seconds until the object must be ready.
   *
   * @default 300
   */
  readonly seconds?: number | undefined;
  /**
   * Seconds for which a pod may be without a node, until an autoscaler has added one.
   *
   * @default 120
   */
  readonly unschedulableSeconds?: number | undefined;
  /**
   * End the wait as soon as the cause of a failure is certain.
   *
   * @default true
   */
  readonly failFast?: boolean | undefined;
}

/** Returns the issue of an invalid `wait`, as the rest of a sentence. */
export function checkWait(value: unknown): string | undefined {
  if (typeof value === 'boolean') return undefined;
  const members = membersOf(value);
  const { seconds, unschedulableSeconds, failFast, ...others } = members ?? {};
  const isNumber = (member: unknown): member is number => typeof member === 'number' && Number.isFinite(member);
  const right =
    Object.values(members ?? {}).some((member) => member !== undefined) &&
    Object.keys(others).length === 0 &&
    (seconds === undefined || (isNumber(seconds) && seconds > 0)) &&
    (unschedulableSeconds === undefined || (isNumber(unschedulableSeconds) && unschedulableSeconds >= 0)) &&
    (failFast === undefined || typeof failFast === 'boolean');
  return right ? undefined : 'must be true, false, or { seconds, unschedulableSeconds, failFast } with numbers of seconds and a boolean';
}

/** Returns the issue of an invalid `waitFor`, as the rest of a sentence. */
export function checkWaitFor(value: unknown): string | undefined {
  const { condition, status, field, equals, ...others } = membersOf(value) ?? {};
  const isText = (member: unknown) => typeof member === 'string' && member !== '';
  const byCondition = isText(condition) && (status === undefined || isText(status)) && field === undefined && equals === undefined;
  const byField =
    isText(field) && ['string', 'number', 'boolean'].includes(typeof equals) && condition === undefined && status === undefined;
  if (Object.keys(others).length === 0 && (byCondition || byField)) return undefined;
  return "must be { condition: 'Ready', status: 'True' } or { field: '.status.phase', equals: 'Running' }";
}

function membersOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}
