import { isJsonObject, type Json } from '../../util/json.js';

/** The number of names under which a stack may have a history. */
export const historyNames = 3;

/** The note of an inventory about the history of its stack: a list with another digest is unknown, and is neither used nor written over. */
export interface HistoryVouch {
  /** The number of the name under which the list is: 0, 1 or 2. */
  readonly name: number;
  /** The SHA-256 of the list that the last run found, in hex, and of the one that it was about to write: either may be in the cluster. */
  readonly lists: readonly string[];
  /** The same of the details beside the list, which earlier versions neither write nor keep; absent if there are none. */
  readonly details?: readonly string[];
  /** Numbers of the parts that the last run was about to write. */
  readonly parts: readonly number[];
}

/** Returns a vouch as an inventory contains it. */
export function writeVouch({ name, lists, details, parts }: HistoryVouch): string {
  return JSON.stringify({ name, lists, ...(details?.length ? { details } : {}), parts });
}

/** Reads a vouch; undefined where the text is not one: then no list is known. */
export function readVouch(text: string | undefined): HistoryVouch | undefined {
  try {
    const value = JSON.parse(text ?? 'null') as Json;
    if (!isJsonObject(value)) return undefined;
    const { name, lists, details, parts } = value;
    const isName = typeof name === 'number' && Number.isInteger(name) && name >= 0 && name < historyNames;
    if (!isName || !isListOf(lists, 'string') || !isListOf(parts, 'number')) return undefined;
    return {
      name,
      lists: lists as unknown as readonly string[],
      ...(isListOf(details, 'string') ? { details: details as unknown as readonly string[] } : {}),
      parts: parts as unknown as readonly number[],
    };
  } catch {
    return undefined;
  }
}

function isListOf(value: Json | undefined, type: 'string' | 'number'): value is readonly Json[] {
  return Array.isArray(value) && value.every((item) => typeof item === type);
}
