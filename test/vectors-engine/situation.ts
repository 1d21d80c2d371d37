import { parseAllDocuments } from 'yaml';
import { type FieldSet, fieldSetOfPaths } from '../../src/fields/index.js';
import type { PrunedContainers } from '../../src/merge/index.js';
import { ignoredFields, type RequestScope } from '../../src/ownership/index.js';
import type { RootType } from '../../src/schema/index.js';
import type { Json, JsonObject } from '../../src/util/json.js';
import type { VectorKind } from './kinds.js';
import { type Step, timeOf } from './scenario.js';

/** A step with the state before and after it. */
export interface StepContext {
  readonly step: Step;
  /** Position, from 1. */
  readonly number: number;
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  /** True if the last write stored content that reading drops, such as empty annotations: a no-op cannot be detected then. */
  readonly unseen: boolean;
  readonly kind: VectorKind;
  /** How the server that was recorded leaves emptied containers. */
  readonly prunedContainers?: PrunedContainers;
}

/** The engine's result of a step beside the recorded one, or the reason why the step proves nothing about the engine. */
export type Check = { readonly expected: Json; readonly actual: Json; readonly unseen?: boolean } | { readonly skipped: string };

export const field = (name: string) => ({ kind: 'field', name }) as const;

const builtInStatus: FieldSet = fieldSetOfPaths([[field('spec')], [field('metadata'), field('labels')]]);

export function rootOf({ kind, step }: StepContext): RootType {
  return kind.kind.versions.get(step.target.apiVersion) as RootType;
}

/** The request's circumstances, as a server would state them. */
export function scopeOf(situation: StepContext): RequestScope {
  const { step, number, kind } = situation;
  const { apiVersion, subresource } = step.target;
  const custom = ignoredFields(rootOf(situation), subresource);
  return {
    kind: kind.kind,
    apiVersion,
    manager: step.query?.fieldManager ?? 'vector-recorder',
    now: timeOf(number),
    ignored: kind.custom || subresource !== 'status' ? custom : new Map([[apiVersion, builtInStatus]]),
    ...(subresource === undefined ? {} : { subresource }),
    ...(kind.custom ? {} : { zeroValue: kind.zeroValue }),
    ...(situation.prunedContainers === undefined ? {} : { prunedContainers: situation.prunedContainers }),
  };
}

/** The object before the step, read in the version of the request. */
export function liveOf({ before, step }: StepContext): JsonObject | undefined {
  return before === undefined ? undefined : { ...before, apiVersion: step.target.apiVersion };
}

export function bodyOf(step: Step): JsonObject {
  return step.body ?? (parseAllDocuments(step.rawBody ?? '', { uniqueKeys: false, version: '1.1' })[0]?.toJS() as JsonObject);
}

// The server reads any value but these as true.
export function isForced({ query }: Step): boolean {
  return query?.force !== undefined && !['false', '0'].includes(query.force.toLowerCase());
}

export function metadataOf(object: JsonObject | undefined): JsonObject {
  return (object?.metadata ?? {}) as JsonObject;
}

export function entriesOf(object: JsonObject | undefined): Json {
  return metadataOf(object).managedFields ?? [];
}
