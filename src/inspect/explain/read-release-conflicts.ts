import type { ReleaseConflictText } from './conflict-text.js';

const refusal =
  /([Uu])nable to continue with (?:install|update): (\w{1,100}) \\{0,31}"([\w.:-]{1,253})\\{0,31}" in namespace \\{0,31}"([\w.-]{0,253})\\{0,31}" exists and cannot be imported into the current release: /g;
const wanted = /meta\.helm\.sh\/release-name\\{0,31}"(?:: must be set to| must equal) \\{0,31}"([\w.-]{1,253})/;
const wantedNamespaces = /meta\.helm\.sh\/release-namespace\\{0,31}"(?:: must be set to| must equal) \\{0,31}"([\w.-]{1,253})/;
const current =
  /meta\.helm\.sh\/release-name\\{0,31}" must equal \\{0,31}"[\w.-]{1,253}\\{0,31}": current value is \\{0,31}"([\w.-]{1,253})/;

/** The characters behind a refusal that name its reasons, on the same line. */
const reasonsLength = 2000;

/** Reads the refusals of Helm to take an object that exists into a release. Helm 3 writes `Unable`, Helm 4 `unable`. */
export function readReleaseConflicts(plain: string): readonly ReleaseConflictText[] {
  return [...plain.matchAll(refusal)].map((found) => {
    const [all, letter, kind = '', name = '', namespace = ''] = found;
    const from = found.index + all.length;
    const [reasons = ''] = plain.slice(from, from + reasonsLength).split('\n', 1);
    const [target, release, space] = [wanted, current, wantedNamespaces].map((form) => form.exec(reasons)?.[1]);
    return {
      about: 'release',
      tool: letter === 'U' ? 'helm-3' : 'helm-4',
      object: { kind, ...(namespace === '' ? {} : { namespace }), name },
      ...(release === undefined ? {} : { release }),
      ...(target === undefined ? {} : { wanted: target }),
      ...(space === undefined ? {} : { wantedNamespace: space }),
    };
  });
}
