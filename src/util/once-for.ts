/**
 * Returns a pure function of an object that makes its value at the first call for each object, and keeps it for as long as the object is
 * kept. The value may depend on nothing else, and the object must not change.
 */
export function onceFor<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined || made.has(key)) return known as Value;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
