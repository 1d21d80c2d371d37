import type { ResponseBody } from '../harness/api-client.js';

/** Returns a text without what differs from run to run: uids, times, hashes and the random ends of names. */
export type Normalize = (value: unknown) => string;

/** Returns the function for the objects of a namespace. */
export function normalizer(namespace: string, objects: readonly ResponseBody[]): Normalize {
  const replaced: [string, string][] = [[namespace, 'NAMESPACE']];
  for (const { kind, metadata } of objects) replaced.push([metadata.uid, `UID-OF-${kind}`]);
  const revisions = objects.filter(({ kind }) => kind === 'ReplicaSet' || kind === 'ControllerRevision');
  const revisionOf = ({ metadata, revision }: ResponseBody) =>
    revision ?? Number(metadata.annotations['deployment.kubernetes.io/revision']);
  const byAge = [...revisions].sort((left, right) => revisionOf(left) - revisionOf(right));
  for (const [index, { metadata }] of byAge.entries())
    replaced.push([metadata.name.slice(metadata.name.lastIndexOf('-') + 1), `HASH${index + 1}`]);
  return (value) => {
    let text = typeof value === 'string' ? value : JSON.stringify(value);
    for (const [from, to] of replaced) text = text.replaceAll(from, to);
    return (
      text
        .replaceAll('"manager":"controller-manager"', '"manager":"kube-controller-manager"')
        .replaceAll(/-----BEGIN CERTIFICATE-----[^"]*/g, 'CERTIFICATE')
        // The ReplicaSet no longer exists.
        .replaceAll(/\bweb-[bcdfghjklmnpqrstvwxz2456789]{7,10}\b/g, 'web-HASH')
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
        .replaceAll(/\b(web-(?:HASH\d*-|\d+-)?)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1*****')
    );
  };
}
