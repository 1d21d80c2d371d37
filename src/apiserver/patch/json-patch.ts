import { stringifyExactJson } from '../../util/exact-json.js';

import { isJsonObject, type Json, type JsonObject, jsonEqual, setMember } from '../../util/json.js';
import { sorted } from './patched-text.js';

/** A patch that cannot be applied. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

/** The size of all values that a patch copies, serialized. Source: observed. */
const maxCopiedBytes = 3 * 1024 * 1024;

/** Applies a JSON patch. Source: RFC 6902. @throws PatchError */
export function jsonPatch(target: Json, operations: readonly JsonObject[]): Json {
  const document = new PatchedDocument(target);
  let copied = 0;
  for (const operation of operations) {
    const { op, path, from, value = null } = operation as { op?: string; path?: string; from?: string; value?: Json };
    const at = steps(path);
    switch (op) {
      case 'add':
      // The server accepts the replacement of an absent member if its parent exists.
      case 'replace':
        document.write(at, op, value);
        break;
      case 'remove':
        document.remove(at);
        break;
      case 'test':
        if (!jsonEqual(document.readTested(at), value)) throw new PatchError(`testing value ${path} failed`);
        break;
      case 'copy': {
        const found = document.readCopied(steps(from));
        copied += stringifyExactJson(found).length;
        if (copied > maxCopiedBytes) throw new PatchError('the copied values are too large');
        // The server copies its serialized text, so unknown fields of the copy are reported in sorted order.
        document.write(at, 'add', sorted(found));
        break;
      }
      case 'move':
        document.write(at, 'add', document.sorted(document.remove(steps(from))));
        break;
      default:
        throw new PatchError(`Unexpected kind: ${op ?? ''}`);
    }
  }
  return document.root;
}

type Container = Record<string, Json> | Json[];

/** A value under change. A container is copied before its first change, and changed in place from then on. */
class PatchedDocument {
  root: Json;
  readonly #owned = new WeakSet<object>();
  readonly #sorted = new WeakSet<object>();

  constructor(root: Json) {
    this.root = root;
  }

  read(path: readonly string[]): Json | undefined {
    let value: Json | undefined = this.root;
    for (const step of path) {
      if (Array.isArray(value)) value = (value as readonly Json[])[indexIn(value, step, 0)];
      else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
      if (value === undefined) return undefined;
    }
    return value;
  }

  /** Returns the source of a copy. The copy of an absent member is null if its parent exists. */
  readCopied(path: readonly string[]): Json {
    if (path.length === 0) throw missing(path);
    return this.readTested(path);
  }

  /** Returns a value; null for an absent member of a map. */
  readTested(path: readonly string[]): Json {
    const found = this.read(path);
    if (found !== undefined) return found;
    if (path.length > 0 && isJsonObject(this.read(path.slice(0, -1)) ?? null)) return null;
    throw missing(path);
  }

  write(path: readonly string[], op: 'add' | 'replace', value: Json): void {
    const last = path.at(-1);
    if (last === undefined) {
      // Only a replacement may be of everything.
      if (op === 'add') throw missing(path);
      this.root = value;
      return;
    }
    const container = this.#containerOf(path);
    if (!Array.isArray(container)) setMember(container, last, value);
    else if (op === 'add') container.splice(last === '-' ? container.length : indexIn(container, last, 1), 0, value);
    else container[indexIn(container, last, 0)] = value;
  }

  /** Removes a value and returns it. */
  remove(path: readonly string[]): Json {
    const found = this.read(path);
    const last = path.at(-1);
    if (found === undefined || last === undefined) throw missing(path);
    const container = this.#containerOf(path);
    if (Array.isArray(container)) container.splice(indexIn(container, last, 0), 1);
    else delete container[last];
    return found;
  }

  /** Returns a value with its members sorted; one that was sorted before is not sorted again. */
  sorted(value: Json): Json {
    if (typeof value !== 'object' || value === null || this.#sorted.has(value)) return value;
    const result = sorted(value) as object;
    this.#sorted.add(result);
    return result as Json;
  }

  /** Returns the container of a path, ready to be changed. */
  #containerOf(path: readonly string[]): Container {
    let container = this.#own(this.root, path);
    this.root = container as Json;
    for (const step of path.slice(0, -1)) {
      const key = Array.isArray(container) ? indexIn(container, step, 0) : step;
      if (!Object.hasOwn(container, key)) throw missing(path);
      const owned = this.#own((container as Record<string | number, Json>)[key] as Json, path);
      if (Array.isArray(container)) container[Number(key)] = owned as Json;
      else setMember(container, step, owned as Json);
      container = owned;
    }
    return container;
  }

  #own(value: Json, path: readonly string[]): Container {
    if (typeof value !== 'object' || value === null) throw missing(path);
    this.#sorted.delete(value);
    if (this.#owned.has(value)) return value as Container;
    const copy = (Array.isArray(value) ? [...(value as readonly Json[])] : { ...value }) as Container;
    this.#owned.add(copy);
    return copy;
  }
}

function steps(path: string | undefined): readonly string[] {
  if (path === undefined || path === '') return [];
  const parts = path.split('/').slice(1);
  return path.includes('~') ? parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')) : parts;
}

/**
 * Returns the index that a step names in a list, of which `beyond` more may be named; a negative one counts from the end.
 * Source: observed.
 *
 * @throws PatchError
 */
function indexIn(list: readonly Json[], step: string, beyond: number): number {
  const size = list.length + beyond;
  const index = /^[-+]?\d{1,9}$/.test(step) ? Number(step) : Number.NaN;
  const found = index < 0 ? index + size : index;
  if (found >= 0 && found < size) return found;
  throw new PatchError(`Unable to access invalid index: ${step.slice(0, 100)}`);
}

function missing(path: readonly string[]): PatchError {
  return new PatchError(`doc is missing path: "/${path.slice(0, 10).join('/')}"`);
}
