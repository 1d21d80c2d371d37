import type { ReleaseConflictText } from './conflict-text.js';

const name = '[a-zA-Z0-9._:-]{1,253}';
const refusal = new RegExp(
  `([Uu])nable to continue with (?:install|update): (\\w{1,100}) \\\\{0,31}"(${name})\\\\{0,31}" in namespace \\\\{0,31}"(${name})?\\\\{0,31}" exists and cannot be imported into the current release: ([^\\n]{0,2000})`,
  'g',
);
const wanted = new RegExp(`meta\\.helm\\.sh/release-name\\\\{0,31}"(?:: must be set to| must equal) \\\\{0,31}"(${name})`);
const current = new RegExp(`meta\\.helm\\.sh/release-name\\\\{0,31}" must equal [^:]{0,300}: current value is \\\\{0,31}"(${name})`);

/** Reads the refusals of Helm to take an object that exists into a release. Helm 3 writes `Unable`, Helm 4 `unable`. */
export function readReleaseConflicts(plain: string): readonly ReleaseConflictText[] {
  return [...plain.matchAll(refusal)].map(([, letter, kind = '', objectName = '', namespace, reasons = '']) => {
    const [target, release] = [wanted.exec(reasons)?.[1], current.exec(reasons)?.[1]];
    return {
      about: 'release',
      tool: letter === 'U' ? 'helm-3' : 'helm-4',
      object: { kind, ...(namespace === undefined ? {} : { namespace }), name: objectName },
      ...(release === undefined ? {} : { release }),
      ...(target === undefined ? {} : { wanted: target }),
    };
  });
}
