import type { ConfigFile } from './config-schema.js';

/** The pins of environments to clusters, as far as one run needs them. */
export interface ClusterPin {
  /** The chosen environment; absent if none is chosen. */
  readonly environment?: string;
  /** The uid that the chosen environment must meet. */
  readonly uid?: string;
  /** Where that uid is configured, such as `fieldwise.yaml:12:5`. */
  readonly source?: string;
  /** The environments that are pinned to a cluster, by its uid. */
  readonly environments: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns the pins of a configuration, the chosen environment's own first; undefined if no environment is pinned. The pin of an
 * environment in the project's file wins over the one in the user's file.
 */
export function clusterPinOf(files: readonly ConfigFile[], chosen: string | undefined): ClusterPin | undefined {
  const pinned = new Map<string, { readonly uid: string; readonly source: string | undefined }>();
  for (const { environments = {} } of files)
    for (const [name, { clusterUid: uid, pinnedAt: source }] of Object.entries(environments))
      if (uid !== undefined && !pinned.has(name)) pinned.set(name, { uid, source });
  if (pinned.size === 0) return undefined;
  const environments = new Map<string, string[]>();
  for (const [name, { uid }] of pinned) environments.set(uid, [...(environments.get(uid) ?? []), name]);
  const own = chosen === undefined ? undefined : pinned.get(chosen);
  return {
    environments,
    ...(chosen === undefined ? {} : { environment: chosen }),
    ...(own === undefined ? {} : { uid: own.uid }),
    ...(own?.source === undefined ? {} : { source: own.source }),
  };
}
