import { type Json, setMember } from './json.js';

/**
 * Returns a copy of a JSON value that shares nothing with it, as if it had been written and read again: members that are `undefined` are left
 * out, and whole numbers beyond 2^53 stay `bigint`.
 *
 * The value must never change. The field sets of managedFields are most of an object and seldom looked at, so a member `fieldsV1` is copied when
 * it is first read; from then on it is an ordinary member, too.
 */
export function ownCopy<Value extends Json>(value: Value): Value {
  return (isContainer(value) ? copyOf(value) : value) as Value;
}

type Members = Readonly<Record<string, unknown>>;
type Container = readonly unknown[] | Members;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function copyOf(value: Container): unknown {
  return Array.isArray(value) ? itemsOf(value) : membersOf(value as Members);
}

function itemsOf(value: readonly unknown[]): unknown {
  const items: unknown[] = new Array(value.length);
  for (let index = 0; index < value.length; index++) {
    const item = value[index];
    items[index] = isContainer(item) ? copyOf(item) : item;
  }
  return items;
}

function membersOf(value: Members): unknown {
  const members: Record<string, unknown> = {};
  // `for in` is the fastest loop; JSON has no inherited members.
  for (const name in value) {
    const member = value[name];
    if (!isContainer(member)) {
      if (name === '__proto__') setMember(members as Record<string, Json>, name, member as Json);
      else if (member !== undefined) members[name] = member;
    } else if (name === 'fieldsV1') copyLater(members, name, member);
    else if (name === '__proto__') setMember(members as Record<string, Json>, name, copyOf(member) as Json);
    else members[name] = copyOf(member);
  }
  return members;
}

/** Defines a member that is copied when it is first read, and never if it is written before. */
function copyLater(members: object, name: string, member: Container): void {
  let copy: unknown;
  const write = (object: object, value: unknown) =>
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  Object.defineProperty(members, name, {
    get() {
      if (copy === undefined) {
        copy = copyOf(member);
        // A frozen object keeps this property; it reads as any other.
        if (Object.getOwnPropertyDescriptor(members, name)?.configurable === true) write(members, copy);
      }
      return copy;
    },
    set(this: object, value: unknown) {
      write(this, value);
    },
    enumerable: true,
    configurable: true,
  });
}
