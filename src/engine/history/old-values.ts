import { gunzipSync, gzipSync } from 'node:zlib';
import type { ClusterClient } from '../../kubernetes/index.js';
import { ApiError } from '../../kubernetes/index.js';
import type { PassField } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import { HistoryAccess } from './history-access.js';
import { historyName, historySecret, isHistoryOf, noteIn, noteKey, parsed, slotCount, slotName, valueIn } from './history-secrets.js';
import { type HistoryLimits, slotBytes, slotsOf } from './revision.js';
import { parseRevisions } from './revision-schema.js';

/** The value of a field that is about to be taken by force, and the object that has it. */
export interface OldValue extends Pick<PassField, 'field' | 'from' | 'operation' | 'subresource'> {
  readonly uid: string;
  readonly value: Json;
}

/**
 * The values that the fields of a stack have before they are taken by force, so that a run after a killed one can report them. They are in one of the
 * numbered Secrets of its history, of which no revision needs all: who may list inventories may not read it.
 */
export class OldValues {
  readonly #access: HistoryAccess;
  readonly #stack: StackIdentity;

  constructor(cluster: ClusterClient, namespace: string | undefined, stack: StackIdentity) {
    this.#access = new HistoryAccess(cluster, namespace);
    this.#stack = stack;
  }

  /**
   * Finds a number that no revision uses.
   *
   * @param taken numbers of other notes.
   * @returns undefined if there is none, or the history cannot be read.
   */
  async findSlot(limits: HistoryLimits, taken: ReadonlySet<number>): Promise<number | undefined> {
    const list = await unlessImpossible(() => this.#access.find(historyName(this.#stack.manager)));
    if (list === impossible) return undefined;
    const revisions =
      list === undefined ? [] : isHistoryOf(list, this.#stack) ? parseRevisions(parsed(valueIn(list, 'revisions'))) : undefined;
    if (revisions === undefined) return undefined;
    const used = slotsOf(revisions);
    // From the last one: revisions use them from the first one on.
    for (let slot = slotCount(limits) - 1; slot >= 0; slot -= 1) if (!used.has(slot) && !taken.has(slot)) return slot;
    return undefined;
  }

  /** Writes the values; those that do not fit are left out. @returns false if that is not possible, mostly for lack of rights. */
  async write(slot: number, values: readonly OldValue[]): Promise<boolean> {
    const name = this.#nameOf(slot);
    const secret = historySecret(this.#stack, this.#access.namespace, name, noteKey, gzipSync(oldValuesText(values)));
    const written = await unlessImpossible(async () => {
      const found = await this.#access.createOrFind(name, secret);
      if (found === undefined) return true;
      const isNote = isHistoryOf(found, this.#stack) && noteIn(found) !== undefined; // and no part, of whichever list
      return isNote ? this.#access.replace(name, secret, found) : undefined;
    });
    return written !== impossible && written !== undefined;
  }

  /** Reads the values of a number; none if they cannot be read. */
  async read(slot: number): Promise<readonly OldValue[]> {
    const found = await unlessImpossible(() => this.#access.find(this.#nameOf(slot)));
    if (found === impossible || found === undefined || !isHistoryOf(found, this.#stack)) return [];
    const values = parsed(unpacked(noteIn(found)));
    return Array.isArray(values) ? (values as readonly Json[]).filter(isJsonObject).filter(isOldValue) : [];
  }

  /** Old values are always beside the first list. */
  #nameOf(slot: number): string {
    return slotName(historyName(this.#stack.manager), slot);
  }

  /** Removes the values of a number, and no part of a revision. */
  async remove(slot: number): Promise<void> {
    const name = this.#nameOf(slot);
    await unlessImpossible(async () => {
      const found = await this.#access.find(name);
      if (found !== undefined && noteIn(found) !== undefined) await this.#access.remove(this.#stack, name);
    });
  }
}

/**
 * The values are stored compressed: a run hides in its reports each value of a Secret that passes it, and these belong to no Secret.
 *
 * @returns undefined where they cannot be decompressed.
 */
function unpacked(note: Uint8Array | undefined): Uint8Array | undefined {
  try {
    return note && gunzipSync(note, { maxOutputLength: slotBytes });
  } catch {
    return undefined;
  }
}

function oldValuesText(values: readonly OldValue[]): string {
  const texts: string[] = [];
  let size = 2;
  for (const value of values) {
    const text = stringifyExactJson(value as unknown as Json);
    size += Buffer.byteLength(text) + 1;
    if (size > slotBytes) break;
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}

function isOldValue(value: JsonObject): value is JsonObject & OldValue {
  return typeof value.uid === 'string' && typeof value.field === 'string' && typeof value.from === 'string' && value.value !== undefined;
}

const impossible = Symbol('impossible');

/** The values are a help for the next run; nothing fails for the lack of them, and what stands behind an error fails the next request, too. */
async function unlessImpossible<T>(call: () => Promise<T>): Promise<T | typeof impossible> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiError || error instanceof FieldwiseError) return impossible;
    throw error;
  }
}
