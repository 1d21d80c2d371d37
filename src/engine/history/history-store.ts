import { createHash } from 'node:crypto';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import { HistoryAccess } from './history-access.js';
import { historyName, historySecret, isHistoryOf, noteIn, parsed, slotCount, slotName, valueIn } from './history-secrets.js';
import { defaultKeep, defaultMaxBytes, type HistoryLimits, type Revision, type StoredBody, slotBytes, slotsOf } from './revision.js';
import { parseRevisions } from './revision-schema.js';

/** The history of one stack as it is stored in the cluster. */
export interface StackHistory {
  readonly stack: StackIdentity;
  /** The oldest first. */
  readonly revisions: readonly Revision[];
  /** The Secret that lists them; absent if the stack has no history. */
  readonly object?: JsonObject;
}

/**
 * The histories of stacks: Secrets in the namespace of the inventories, found by name, so that no right to list Secrets is needed. A Secret
 * that is not a part of the stack's history is never written or deleted.
 */
export class HistoryStore {
  readonly #access: HistoryAccess;

  constructor(cluster: ClusterClient, namespace?: string) {
    this.#access = new HistoryAccess(cluster, namespace);
  }

  /**
   * Reads the list of the revisions of a stack; empty where it has no history.
   *
   * @throws FieldwiseError `history-damaged`, `history-forbidden`.
   */
  async read(stack: StackIdentity): Promise<StackHistory> {
    const name = historyName(stack.manager);
    const object = await this.#access.find(name);
    if (object === undefined) return { stack, revisions: [] };
    if (!isHistoryOf(object, stack)) throw this.#access.damaged(name, `it is not the history of stack ${stack.stack}`);
    const revisions = parseRevisions(parsed(valueIn(object, 'revisions')));
    if (revisions === undefined) throw this.#access.damaged(name, 'its list of revisions cannot be read');
    return { stack, revisions, object };
  }

  /**
   * Reads the stored declarations of a revision, compressed.
   *
   * @throws FieldwiseError `history-damaged` if a part is missing, belongs to another stack, or was changed; `history-forbidden`.
   */
  async readBody(stack: StackIdentity, { slots, bytes, sha256 }: StoredBody): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for (const slot of slots) {
      const name = slotName(stack.manager, slot);
      const object = await this.#access.find(name);
      const part = object && isHistoryOf(object, stack) ? valueIn(object, 'part') : undefined;
      if (part === undefined) {
        throw this.#access.damaged(name, object ? `it is not a part of the history of stack ${stack.stack}` : 'it does not exist');
      }
      parts.push(part);
      size += part.length;
      if (size > bytes) throw this.#access.damaged(name, 'it is longer than the revision');
    }
    const body = Buffer.concat(parts, size);
    if (size === bytes && digestOf(body) === sha256) return body;
    throw this.#access.damaged(slotName(stack.manager, slots[0] as number), 'its content was changed');
  }

  /**
   * Adds a revision, and removes the revisions and the declarations that the limits no longer permit. Writes the new parts, then the list, then removes old parts: a
   * killed process leaves parts that the next revision uses again.
   *
   * @param body the compressed declarations. Undefined, or larger than the limit: the revision has no body.
   * @throws FieldwiseError `history-contended`, `history-forbidden`; ApiError.
   */
  async append(
    history: StackHistory,
    revision: Omit<Revision, 'revision' | 'body'>,
    body: Uint8Array | undefined,
    { keep = defaultKeep, maxBytes = defaultMaxBytes }: HistoryLimits,
  ): Promise<Revision> {
    const { stack, revisions } = history;
    const number = (revisions.at(-1)?.revision ?? 0) + 1;
    const stored = await this.storeBody(history, body, { keep, maxBytes });
    const added: Revision = { revision: number, ...revision, ...(stored ? { body: stored } : {}) };
    const kept = withinLimits([...revisions, added], keep, maxBytes);
    await this.#writeList(history, kept);
    const used = slotsOf(kept);
    for (const slot of slotsOf(revisions)) if (!used.has(slot)) await this.#access.remove(stack, slotName(stack.manager, slot));
    return added;
  }

  /**
   * Stores compressed declarations, for a revision that is not listed yet. Those of an earlier revision with the same bytes are not stored
   * twice.
   *
   * @returns undefined if they are larger than the limit.
   * @throws FieldwiseError `history-damaged` if others use all names, `history-forbidden`; ApiError.
   */
  async storeBody(
    history: StackHistory,
    body: Uint8Array | undefined,
    { keep = defaultKeep, maxBytes = defaultMaxBytes }: HistoryLimits,
  ): Promise<StoredBody | undefined> {
    if (body === undefined || body.length > maxBytes) return undefined;
    return sameBody(history.revisions, body) ?? this.#writeBody(history, body, { keep, maxBytes });
  }

  async #writeBody({ stack, revisions }: StackHistory, body: Uint8Array, limits: HistoryLimits): Promise<StoredBody> {
    const used = slotsOf(revisions);
    const slots: number[] = [];
    let slot = 0;
    for (let start = 0; start < body.length; start += slotBytes) {
      const part = body.subarray(start, start + slotBytes);
      while (used.has(slot) || !(await this.#writePart(stack, slot, part))) {
        slot += 1;
        if (slot > slotCount(limits) + used.size)
          throw this.#access.damaged(slotName(stack.manager, 0), 'others use all names of its parts');
      }
      slots.push(slot);
      slot += 1;
    }
    return { slots, bytes: body.length, sha256: digestOf(body) };
  }

  /** Writes a part that no revision uses. @returns false if a Secret of another, or one that a later run needs, has the name. */
  async #writePart(stack: StackIdentity, slot: number, part: Uint8Array): Promise<boolean> {
    const name = slotName(stack.manager, slot);
    const secret = historySecret(stack, this.#access.namespace, name, 'part', part);
    try {
      await this.#access.create(name, secret);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error;
    }
    const found = await this.#access.find(name);
    if (found === undefined || !isHistoryOf(found, stack) || noteIn(found) !== undefined) return false;
    await this.#access.replace(name, secret, found);
    return true;
  }

  async #writeList({ stack, object }: StackHistory, revisions: readonly Revision[]): Promise<void> {
    const name = historyName(stack.manager);
    const content = Buffer.from(JSON.stringify({ fieldwise: 1, revisions }));
    const secret = historySecret(stack, this.#access.namespace, name, 'revisions', content);
    try {
      await (object ? this.#access.replace(name, secret, object) : this.#access.create(name, secret));
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== 409 && error.code !== 404)) throw error;
      const found = await this.#access.find(name);
      const listed = found && isHistoryOf(found, stack) ? valueIn(found, 'revisions') : undefined;
      if (listed !== undefined && content.equals(listed)) return; // our own write, whose response was lost
      throw new FieldwiseError('history-contended', 'resource', `Another process changed the history of stack ${stack.stack} meanwhile`, {
        location: { object: `Secret ${this.#access.namespace}/${name}` },
        next: 'The deploy is complete; the next one records a revision again.',
        cause: error,
      });
    }
  }
}

/** Returns the newest `keep` revisions; the declarations of those that do not fit beside newer ones are left out. */
function withinLimits(revisions: readonly Revision[], keep: number, maxBytes: number): readonly Revision[] {
  const stored = new Set<string>();
  let size = 0;
  return revisions
    .slice(-keep)
    .reverse()
    .map(({ body, ...revision }): Revision => {
      if (body === undefined) return revision;
      const added = stored.has(body.sha256) ? 0 : body.bytes;
      if (size + added > maxBytes) return revision;
      stored.add(body.sha256);
      size += added;
      return { ...revision, body };
    })
    .reverse();
}

function sameBody(revisions: readonly Revision[], body: Uint8Array): StoredBody | undefined {
  const sha256 = digestOf(body);
  return revisions.find((revision) => revision.body?.sha256 === sha256)?.body;
}

function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
