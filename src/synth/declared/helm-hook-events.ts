import type { Json, JsonObject } from '../../util/json.js';

/** The position of a Helm hook among the objects of its chart. */
export interface HookPosition {
  readonly moment: 'before' | 'after';
  /** Hooks of one moment are applied from the lowest weight to the highest. */
  readonly weight: number;
}

/**
 * Returns the position of a hook in a deploy; undefined for objects that are not hooks, and for hooks of other moments: tests, deletions and
 * rollbacks. Source: Helm documentation, "Chart Hooks".
 */
export function hookPosition(annotations: JsonObject): HookPosition | undefined {
  const events = hookEvents(annotations['helm.sh/hook']);
  const weight = weightOf(annotations['helm.sh/hook-weight']);
  if (events.includes('pre-install') || events.includes('pre-upgrade')) return { moment: 'before', weight };
  if (events.includes('post-install') || events.includes('post-upgrade')) return { moment: 'after', weight };
  return undefined;
}

/** Returns true for a hook that a deploy can run. */
export function isOrderedHook(annotations: JsonObject): boolean {
  return hookPosition(annotations) !== undefined;
}

function hookEvents(text: Json | undefined): readonly string[] {
  return typeof text === 'string' ? text.split(',').map((event) => event.trim()) : [];
}

/** Helm counts a weight that is not an integer as 0. */
function weightOf(text: Json | undefined): number {
  return typeof text === 'string' && /^[-+]?\d{1,9}$/.test(text) ? Number(text) : 0;
}
