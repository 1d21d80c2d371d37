import type { Json, JsonObject } from '../../util/json.js';
import { remembered } from '../../util/remembered.js';

const types: Readonly<Record<string, string>> = {
  allowWatchBookmarks: 'boolean',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  ignoreStoreReadErrorWithClusterBreakingPotential: 'boolean',
  limit: 'integer',
  orphanDependents: 'boolean',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};

const selecting = ['continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch', 'sendInitialEvents'];
const listing = ['allowWatchBookmarks', ...selecting, 'shardSelector', 'timeoutSeconds', 'watch'];
// Clients detect server-side field validation by this parameter of any PATCH operation of the kind.
const writing = ['dryRun', 'fieldManager', 'fieldValidation'];
const deletion = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];

/** The parameters of a query by action. Source: Kubernetes API reference, "Common Parameters"; observed. */
const queries: Readonly<Record<string, readonly string[]>> = {
  list: listing,
  watch: listing,
  watchlist: listing,
  post: writing,
  put: writing,
  patch: [...writing, 'force'],
  delete: deletion,
  deletecollection: [...selecting, 'shardSelector', 'timeoutSeconds', ...deletion],
};
const customQueries: Readonly<Record<string, readonly string[]>> = { get: ['resourceVersion'], deletecollection: listing };

/** Returns the parameters of an operation by name; `at` are those of its path. */
export function parametersOf(action: string, at: readonly string[], custom: boolean): readonly JsonObject[] {
  const query = (custom ? customQueries[action] : undefined) ?? queries[action] ?? [];
  return [...query, ...at, 'pretty'].toSorted().map(parameter);
}

/** Returns a parameter: the same object for the same name, so that equal ones are found by identity. */
const parameter = remembered((name): JsonObject => {
  const place = name === 'name' || name === 'namespace' ? { in: 'path', required: true } : { in: 'query' };
  return { name, ...place, schema: { type: types[name] ?? 'string', uniqueItems: true } };
});

/** Returns the operations of a path with the parameters that all of them have beside them. */
export function withSharedParameters(operations: Readonly<Record<string, JsonObject>>): JsonObject {
  const lists = Object.values(operations).map(({ parameters }) => parameters as unknown as readonly Json[]);
  const shared = lists[0]?.filter((each) => lists.every((list) => list.includes(each))) ?? [];
  const others = Object.entries(operations).map(([method, { parameters, ...operation }]) => {
    const own = (parameters as unknown as readonly Json[]).filter((each) => !shared.includes(each));
    return [method, own.length > 0 ? { ...operation, parameters: own } : operation];
  });
  return { ...Object.fromEntries(others), parameters: shared as Json };
}
