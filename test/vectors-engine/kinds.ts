import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { $table as apps } from '../../generated/apps/v1.js';
import { $table as core } from '../../generated/core/v1.js';
import { $table as rbac } from '../../generated/rbac/v1.js';
import { customKind, type VersionedKind, versionedKind } from '../../src/merge/index.js';
import { scaleRoot } from '../../src/ownership/index.js';
import { type RootType, readCrd, rootTypes } from '../../src/schema/index.js';
import type { JsonObject } from '../../src/util/json.js';

/** A kind of the scenarios, as a server would know it. */
export interface VectorKind {
  readonly kind: VersionedKind;
  readonly custom: boolean;
  readonly zeroValue: JsonObject;
}

// What Go never leaves out of an object of a built-in kind, however empty.
const zeroValues: Readonly<Record<string, JsonObject>> = {
  ConfigMap: { metadata: {} },
  ServiceAccount: { metadata: {} },
  ClusterRole: { metadata: {}, rules: null },
  Service: { metadata: {}, spec: {}, status: { loadBalancer: {} } },
  Deployment: { metadata: {}, spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } }, status: {} },
};

/** The built-in kinds from the generated tables, and the custom ones of `crds` directories. */
export function readKinds(crdDirectories: readonly string[]): Map<string, VectorKind> {
  const kinds = new Map<string, VectorKind>();
  const builtIn = [apps, core, rbac].flatMap((table) => rootTypes(table)).filter((root) => root.subresource === undefined);
  for (const [kind, blank] of Object.entries(zeroValues)) {
    const root = builtIn.find((candidate) => candidate.kind === kind) as RootType;
    kinds.set(kind, { kind: versionedKind(root), custom: false, zeroValue: { apiVersion: root.apiVersion, kind, ...blank } });
  }
  for (const directory of crdDirectories) {
    for (const name of readdirSync(directory).filter((file) => file.endsWith('.yaml'))) {
      const { roots } = readCrd(parse(readFileSync(join(directory, name), 'utf8')), { file: name });
      const kind = roots[0]?.kind as string;
      kinds.set(kind, { kind: customKind(...roots), custom: true, zeroValue: {} });
    }
  }
  return kinds;
}

export const scaleKind: VersionedKind = versionedKind(scaleRoot());
