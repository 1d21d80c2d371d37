/** Returns a copy of a JSON value that shares nothing with it and that nobody can change. Whole numbers beyond 2^53 stay `bigint`. */
export function frozenCopy<Value>(value: Value): Value {
  return frozen(structuredClone(value));
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
