/** An index as property access passes it. */
const indexPattern = /^(?:0|[1-9]\d{0,9})$/;

/**
 * Returns a list whose items are made when they are asked for, each time again. Everything that reads an array works with it.
 *
 * @param at makes the item at an index below `length`.
 */
export function lazyList<Item>(length: number, at: (index: number) => Item): readonly Item[] {
  const indexOf = (name: string | symbol) => {
    const index = typeof name === 'string' && indexPattern.test(name) ? Number(name) : length;
    return index < length ? index : undefined;
  };
  return new Proxy<Item[]>(new Array(length), {
    has: (target, name) => indexOf(name) !== undefined || Reflect.has(target, name),
    get(target, name) {
      const index = indexOf(name);
      return index === undefined ? Reflect.get(target, name) : at(index);
    },
    getOwnPropertyDescriptor(target, name) {
      const index = indexOf(name);
      if (index === undefined) return Reflect.getOwnPropertyDescriptor(target, name);
      return { value: at(index), configurable: true, enumerable: true, writable: true };
    },
    ownKeys: (target) => [...Array.from({ length }, (_, index) => String(index)), ...Reflect.ownKeys(target)],
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  });
}
