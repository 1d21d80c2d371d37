/** Returns the issue of an invalid `wait`, as the rest of a sentence. */
export function checkWait(value: unknown): string | undefined {
  if (typeof value === 'boolean') return undefined;
  const members = membersOf(value);
  const seconds = members?.seconds;
  const right = Object.keys(members ?? {}).length === 1 && typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
  return right ? undefined : 'must be true, false, or { seconds: … } with a number above 0';
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
