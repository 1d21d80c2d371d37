import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { knownManager, type Tool } from '../../ownership/index.js';
import type { ConflictText, ContestedField, ContestingOwner, MessageTool, NamedObject } from './conflict-text.js';
import { type WayOut, waysOut } from './ways-out.js';

/** An owner, and what its client does next. */
export interface ExplainedOwner extends ContestingOwner {
  /** `app/instance/stack` of a stack of Fieldwise. */
  readonly stack?: string;
  /** The client behind a well-known name. */
  readonly tool?: Tool;
  readonly label?: string;
  /** The next step of the owner with its fields, as a sentence. */
  readonly next: string;
}

/** The fields that one owner contests. */
export interface ContestedFields {
  readonly owner: ExplainedOwner;
  readonly fields: readonly string[];
}

/** A conflict that a tool printed, explained. */
export interface ExplainedConflict {
  readonly event: 'conflict';
  readonly about: ConflictText['about'];
  readonly tool: MessageTool;
  readonly object?: NamedObject;
  /** One for each owner; absent for a conflict over a whole object. */
  readonly contested?: readonly ContestedFields[];
  /** The number of conflicts that the text lacks because it is cut off. */
  readonly missing?: number;
  /** The release of Helm that the object belongs to; absent if it belongs to none. */
  readonly release?: string;
  readonly ways: readonly WayOut[];
}

/** Explains a conflict by its text alone. */
export function explainConflict(conflict: ConflictText): ExplainedConflict {
  const { about, tool, object } = conflict;
  const common = { event: 'conflict' as const, about, tool, ...(object === undefined ? {} : { object }) };
  const ways = waysOut(conflict);
  if (conflict.about === 'release') return { ...common, ...(conflict.release === undefined ? {} : { release: conflict.release }), ways };
  const missing = conflict.count - conflict.fields.length;
  return { ...common, contested: byOwner(conflict.fields), ...(missing > 0 ? { missing } : {}), ways };
}

function byOwner(fields: readonly ContestedField[]): readonly ContestedFields[] {
  const groups = new Map<string, { owner: ExplainedOwner; fields: string[] }>();
  for (const { field, ...owner } of fields) {
    const key = JSON.stringify(owner);
    const group = groups.get(key) ?? { owner: explainOwner(owner), fields: [] };
    groups.set(key, group);
    group.fields.push(field);
  }
  return [...groups.values()];
}

/** Adds who an owner is and what it does next. */
export function explainOwner(
  owner: ContestingOwner,
  names: Pick<OwnerNameResolver, 'resolve'> = new OwnerNameResolver('', '', new Map()),
): ExplainedOwner {
  const { stack } = names.resolve(owner);
  if (stack !== undefined || (owner.operation === 'Apply' && owner.manager.startsWith('fieldwise/'))) {
    return {
      ...owner,
      ...(stack === undefined ? {} : { stack }),
      next: 'A stack of Fieldwise: it applies its fields again at its next deploy, by its policy `conflicts`, which is `force` by default.',
    };
  }
  const known = knownManager(owner);
  if (known === undefined) return { ...owner, next: `No well-known name. ${nextByOperation[owner.operation]}` };
  const { tool, label, behavior } = known;
  return { ...owner, tool, ...(label === undefined ? {} : { label }), next: behavior };
}

const nextByOperation = {
  Apply: 'It applies its whole manifest by server-side apply, so it writes the field again whenever it runs.',
  Update: 'It wrote by an ordinary update, patch or create, as controllers and scripts do; it may write again at any time.',
};
