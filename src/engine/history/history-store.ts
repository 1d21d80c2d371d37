import { createHash } from 'node:crypto';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { HistoryVouch } from '../inventory/history-vouch.js';
import { InventoryStore } from '../inventory/inventory-store.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import { HistoryAccess } from './history-access.js';
import { historySecret, isHistoryOf, listNames, noteIn, parsed, slotCount, slotName, valueIn } from './history-secrets.js';
import { type DraftRevision, type PlannedList, planList } from './plan-list.js';
import { type HistoryLimits, type Revision, type StoredBody, slotsOf } from './revision.js';
import { withDetails } from './revision-details.js';
import { parseRevisions } from './revision-schema.js';

/** The history of one stack as it is stored in the cluster. */
export interface StackHistory {
  readonly stack: StackIdentity;
  /** The name of the Secret that lists the revisions, or that is free for it; absent if others use all names. */
  readonly name?: string;
  /** The oldest first. */
  readonly revisions: readonly Revision[];
  /** The Secret that lists them; absent if the stack has no history. */
  readonly object?: JsonObject;
  /** The SHA-256 of the list, in hex. */
  readonly sha256?: string;
  /** The SHA-256 of what is stored beside the list, in hex; absent where that is not known to be of this stack. */
  readonly details?: string;
  /** The reason why names for a list could not be looked at, if so. */
  readonly refusal?: FieldwiseError;
  /** The lists of which the inventory knows nothing, as far as they were looked at. */
  readonly unknown: readonly UnknownList[];
  /** Numbers of parts that an earlier run was about to write. */
  readonly begun?: readonly number[];
}

/** A Secret with the name of a stack's history that no deploy of the stack has left, as far as its inventory knows. */
export interface UnknownList {
  readonly name: string;
  /** Empty where it is not a list. */
  readonly revisions: readonly Revision[];
}

/** The parts of a history to read. */
export interface HistoryReading {
  /** Also looks at the names that the inventory does not need. @default false */
  readonly all?: boolean;
  /** The list that somebody trusts, whatever the inventory knows. */
  readonly trusted?: TrustedList | undefined;
}

/** A list of revisions that somebody trusts. */
export interface TrustedList {
  /** The name of its Secret. */
  readonly name: string;
  /** Its SHA-256 when it was shown, in hex: another content is not trusted. Absent until then. */
  readonly sha256?: string | undefined;
}

/**
 * The histories of stacks: Secrets in the namespace of the inventories, found by name, so that no right to list Secrets is needed. A list counts where the
 * inventory of its stack has its digest. A Secret of which neither list nor inventory knows is never written or used.
 */
export class HistoryStore {
  readonly #access: HistoryAccess;
  readonly #vouchOf: (stack: StackIdentity) => Promise<HistoryVouch | undefined>;

  /** @param vouchOf returns what the inventory of a stack knows of its history; absent: it is read from the cluster. */
  constructor(
    cluster: ClusterClient,
    namespace?: string,
    vouchOf: (stack: StackIdentity) => Promise<HistoryVouch | undefined> = async (stack) =>
      (await new InventoryStore(cluster, namespace).read(stack))[0]?.history,
  ) {
    this.#access = new HistoryAccess(cluster, namespace);
    this.#vouchOf = vouchOf;
  }

  /** The namespace of the Secrets. */
  get namespace(): string {
    return this.#access.namespace;
  }

  /**
   * Reads the list of the revisions of a stack; empty where it has no history of which the inventory knows.
   *
   * @throws FieldwiseError `history-damaged` if the trusted Secret is not a list of the stack; `history-forbidden`, `inventory-forbidden`.
   */
  async read(stack: StackIdentity, { all = false, trusted }: HistoryReading = {}): Promise<StackHistory> {
    const names = listNames(stack.manager);
    const vouch = await this.#vouchOf(stack);
    const vouched = trusted?.name ?? (vouch && names[vouch.name]);
    const begun = vouch && vouched === names[vouch.name] ? vouch.parts : [];
    const unknown: UnknownList[] = [];
    let history: StackHistory | undefined;
    let refusal: FieldwiseError | undefined;
    for (const name of [...new Set([...(vouched === undefined ? [] : [vouched]), ...names])]) {
      if (history && !all) break;
      const object = await this.#access.find(name).catch((error: unknown) => {
        if (name === (vouched ?? names[0]) || !isForbiddenHistory(error)) throw error;
        refusal = error;
        return error;
      });
      if (object instanceof FieldwiseError) continue; // An earlier version printed no right to read it.
      const free = { stack, name, revisions: [], unknown, begun: name === vouched ? begun : [] };
      if (object === undefined) {
        if (name === trusted?.name) throw this.#access.damaged(name, 'it does not exist', notAList(stack));
        history ??= free;
        continue;
      }
      const list = isHistoryOf(object, stack) ? valueIn(object, 'revisions') : undefined;
      const revisions = parseRevisions(parsed(list));
      if (name === trusted?.name && revisions === undefined)
        throw this.#access.damaged(name, `it is not the list of a history of stack ${stack.stack}`, notAList(stack));
      const sha256 = list && digestOf(list);
      const isTrusted = name === trusted?.name && (trusted.sha256 ?? sha256) === sha256;
      const isVouched = isTrusted || (name === vouched && sha256 !== undefined && vouch?.lists.includes(sha256));
      if (isVouched && revisions !== undefined && sha256 !== undefined) {
        const details = valueIn(object as JsonObject, 'details');
        const digest = details && digestOf(details);
        const isKnown = digest !== undefined && (isTrusted || vouch?.details?.includes(digest) === true);
        history = isKnown
          ? { ...free, revisions: withDetails(revisions, parsed(details)), object, sha256, details: digest }
          : { ...free, revisions, object, sha256 };
      } else unknown.push({ name, revisions: revisions ?? [] });
    }
    return history ?? { stack, revisions: [], unknown, ...(refusal ? { refusal } : {}) };
  }

  /**
   * Reads the stored declarations of a revision, compressed.
   *
   * @throws FieldwiseError `history-damaged` if a part is missing, belongs to another stack, or was changed; `history-forbidden`.
   */
  async readBody({ stack, name: list }: StackHistory, { slots, bytes, sha256 }: StoredBody): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let size = 0;
    const nameOf = (slot: number) => slotName(list as string, slot);
    for (const slot of slots) {
      const name = nameOf(slot);
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
    throw this.#access.damaged(nameOf(slots[0] as number), 'its content was changed');
  }

  /**
   * Adds revisions, and removes the revisions and the declarations that the limits no longer permit. Vouches for the list, writes the new parts, then the
   * list, then removes old parts: a run that is killed leaves one of the two lists for which the inventory vouches, and parts that the next run uses again.
   *
   * @param vouch writes to the inventory what it is to know of the history.
   * @returns the last revision as it is listed.
   * @throws FieldwiseError `history-contended`, `history-damaged` if others use all names, `history-forbidden`; ApiError.
   */
  async append(
    history: StackHistory,
    drafts: readonly DraftRevision[],
    limits: HistoryLimits,
    vouch: (vouch: HistoryVouch) => Promise<void>,
  ): Promise<Revision> {
    const { stack, name, revisions, object, details, begun = [], refusal } = history;
    const names = listNames(stack.manager);
    if (name === undefined) throw refusal ?? noNameLeft(stack, names, this.#access.namespace);
    const before = object && valueIn(object, 'revisions');
    const taken = new Set<number>();
    const ours = new Set(begun);
    for (;;) {
      const planned = planList(revisions, drafts, limits, taken);
      const parts = new Set([...planned.parts.keys(), ...[...ours].filter((slot) => !slotsOf(planned.revisions).has(slot))]);
      const lists = [...(before ? [digestOf(before)] : []), digestOf(planned.content)];
      const known = [...(details === undefined ? [] : [details]), ...(planned.details ? [digestOf(planned.details)] : [])];
      await vouch({ name: names.indexOf(name), lists, details: known, parts: [...parts].sort((left, right) => left - right) });
      const other = await this.#writeParts(history, planned, ours);
      if (other === undefined) {
        await this.#writeList(history, planned);
        await this.#removeUnused(history, planned);
        return planned.revisions.at(-1) as Revision;
      }
      taken.add(other);
      if (taken.size > slotCount(limits)) throw this.#access.damaged(slotName(name, other), 'others use all names of its parts');
    }
  }

  /** @returns the number of a part whose name another Secret has, if there is one. */
  async #writeParts({ stack, name: list }: StackHistory, { parts }: PlannedList, ours: Set<number>): Promise<number | undefined> {
    for (const [slot, part] of parts) {
      const name = slotName(list as string, slot);
      const secret = historySecret(stack, this.#access.namespace, name, 'part', part);
      const found = await this.#access.createOrFind(name, secret);
      if (found !== undefined) {
        const isPart = isHistoryOf(found, stack) && noteIn(found) === undefined;
        const isSame = isPart && Buffer.from(part).equals(valueIn(found, 'part') ?? Buffer.alloc(0));
        if (!isSame && !(isPart && ours.has(slot))) return slot;
        if (!isSame) await this.#access.replace(name, secret, found);
      }
      ours.add(slot);
    }
    return undefined;
  }

  async #removeUnused({ stack, name, revisions }: StackHistory, planned: PlannedList): Promise<void> {
    const used = slotsOf(planned.revisions);
    for (const slot of slotsOf(revisions)) if (!used.has(slot)) await this.#access.remove(stack, slotName(name as string, slot));
  }

  async #writeList({ stack, name, object }: StackHistory, { content, details }: PlannedList): Promise<void> {
    const list = name as string;
    const secret = historySecret(stack, this.#access.namespace, list, 'revisions', content, details);
    try {
      await (object ? this.#access.replace(list, secret, object) : this.#access.create(list, secret));
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== 409 && error.code !== 404)) throw error;
      const found = await this.#access.find(list);
      const listed = found && isHistoryOf(found, stack) ? valueIn(found, 'revisions') : undefined;
      if (listed !== undefined && Buffer.from(content).equals(listed)) return; // our own write, whose response was lost
      throw new FieldwiseError('history-contended', 'resource', `Another process changed the history of stack ${stack.stack} meanwhile`, {
        location: { object: `Secret ${this.#access.namespace}/${list}` },
        next: 'The deploy is complete; the next one records a revision again.',
        cause: error,
      });
    }
  }
}

function isForbiddenHistory(error: unknown): error is FieldwiseError {
  return error instanceof FieldwiseError && error.code === 'history-forbidden';
}

function notAList({ stack }: StackIdentity): string {
  return `Correct \`--trust-history\`: \`fieldwise history ${stack}\` shows the Secrets that have lists of revisions.`;
}

function noNameLeft({ stack }: StackIdentity, names: readonly string[], namespace: string): FieldwiseError {
  return new FieldwiseError(
    'history-damaged',
    'resource',
    `Each name that the history of stack ${stack} may have belongs to a list that the inventory does not know`,
    {
      location: { object: `Namespace ${namespace}` },
      next: `\`fieldwise history ${stack}\` shows them. A rollback with \`--trust-history\` goes on with one of them, and \`kubectl delete secret NAME --namespace ${namespace}\` makes a name free: ${names.join(', ')}.`,
    },
  );
}

function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
