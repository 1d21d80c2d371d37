import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResponseBody } from './api-client.js';
import type { ObjectRef } from './cluster.js';
import type { TestEnvironment } from './test-environment.js';

export const partOf = 'applyset.kubernetes.io/part-of';
export const idLabel = 'applyset.kubernetes.io/id';
export const tooling = 'applyset.kubernetes.io/tooling';
export const groupKinds = 'applyset.kubernetes.io/contains-group-kinds';
export const groupResources = 'applyset.kubernetes.io/contains-group-resources';
export const namespaces = 'applyset.kubernetes.io/additional-namespaces';

/** The ID by the formula of the specification, which the tests compute themselves. */
export function idOf({ apiVersion, kind, metadata: { name, namespace = '' } }: ObjectRef): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return `applyset-${createHash('sha256').update(`${name}.${namespace}.${kind}.${group}`).digest('base64url')}-v1`;
}

/** The parent as kubectl writes it; `record` changes annotations, and removes those that are undefined. */
export function parentOf(parent: ObjectRef, record: Readonly<Record<string, string | undefined>> = {}, id = idOf(parent)): ObjectRef {
  const annotations = { [tooling]: 'kubectl/v1.32.4', [groupKinds]: 'ConfigMap', [namespaces]: '', ...record };
  return { ...parent, metadata: { ...parent.metadata, labels: { [idLabel]: id }, annotations: JSON.parse(JSON.stringify(annotations)) } };
}

/** Makes a set as `kubectl apply --server-side --prune --applyset` does, by any client. */
export async function makeSet(
  { cluster }: TestEnvironment,
  parent: ObjectRef,
  members: readonly ObjectRef[],
  record: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  await cluster.apply('kubectl-applyset', parentOf(parent, record));
  for (const member of members) await cluster.apply('kubectl', withLabel(member, idOf(parent)));
  return idOf(parent);
}

/** An object with the label of a set. */
export function withLabel(object: ObjectRef, id: string): ObjectRef {
  const { labels = {}, ...metadata } = object.metadata as ResponseBody;
  return { ...object, metadata: { ...metadata, labels: { ...labels, [partOf]: id } } };
}

/** Runs `kubectl apply --prune --applyset` over a directory with these objects; returns its exit code and all that it printed. */
export function kubectlApplySet(
  { kubectl, kubeconfig, namespace, directory }: Pick<TestEnvironment, 'kubectl' | 'kubeconfig' | 'namespace' | 'directory'>,
  set: string,
  objects: readonly object[],
  flags: readonly string[] = [],
): Promise<{ readonly code: number; readonly output: string }> {
  const files = join(directory, 'applyset');
  rmSync(files, { recursive: true, force: true });
  mkdirSync(files, { recursive: true });
  for (const [index, object] of objects.entries()) writeFileSync(join(files, `${index}.json`), JSON.stringify(object));
  const args = ['--kubeconfig', kubeconfig, '-n', namespace, 'apply', ...flags, '--prune', `--applyset=${set}`, '-f', files];
  return new Promise((resolve) => {
    execFile(kubectl as string, args, { env: { ...process.env, KUBECTL_APPLYSET: 'true' } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr }),
    );
  });
}
