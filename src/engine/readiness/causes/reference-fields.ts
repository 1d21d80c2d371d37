import { quote } from '../../../fields/index.js';
import type { JsonObject } from '../../../util/json.js';
import { listOf, member } from '../object.js';

/**
 * Returns the fields of a container that a message about a missing Secret, ConfigMap or key may be about, below the container, the likeliest
 * first. The kubelet names the object in quotes, or as NAMESPACE/NAME.
 */
export function referenceFields(container: JsonObject, message: string): readonly string[] {
  const names = (reference: JsonObject) => typeof reference.name === 'string' && isNamed(reference.name, message);
  const keyed = listOf(container.env).flatMap((variable) => {
    const from = member(variable, 'valueFrom');
    return ['secretKeyRef', 'configMapKeyRef'].flatMap((kind) => {
      const reference = member(from, kind);
      if (!names(reference)) return [];
      const isAboutKey = typeof reference.key === 'string' && isNamed(reference.key, message);
      return [{ field: `.env[name=${quote(String(variable.name))}].valueFrom.${kind}`, isAboutKey }];
    });
  });
  const whole = listOf(container.envFrom).some((source) => names(member(source, 'secretRef')) || names(member(source, 'configMapRef')));
  const inUse = /runAsNonRoot|securityContext|runAsUser/.test(message) ? ['.securityContext'] : [];
  const ordered = [...keyed].sort((left, right) => Number(right.isAboutKey) - Number(left.isAboutKey)).map(({ field }) => field);
  return [
    ...ordered,
    ...(whole ? ['.envFrom'] : []),
    ...inUse,
    ...(/executable|exec/.test(message) ? ['.command', '.args'] : []),
    '.image',
  ];
}

/** Returns the paths of the volumes of a pod that a message names, by their own name or by that of their source. */
export function volumeFields(pod: JsonObject, message: string, template: string): readonly string[] {
  const volumes = listOf(member(pod, 'spec').volumes);
  const sourceName = (volume: JsonObject) =>
    member(volume, 'secret').secretName ?? member(volume, 'configMap').name ?? member(volume, 'persistentVolumeClaim').claimName;
  const rank = (volume: JsonObject) =>
    isNamed(String(sourceName(volume) ?? ''), message) ? 0 : isNamed(String(volume.name), message) ? 1 : 2;
  return volumes
    .filter((volume) => rank(volume) < 2)
    .sort((left, right) => rank(left) - rank(right))
    .map((volume) => `${template}.spec.volumes[name=${quote(String(volume.name))}]`);
}

/** Returns true if a message contains a name as a whole word. */
function isNamed(name: string, message: string): boolean {
  if (name === '') return false;
  const inName = /[\w.-]/;
  for (let at = message.indexOf(name); at >= 0; at = message.indexOf(name, at + 1)) {
    const [before, after] = [message.charAt(at - 1), message.slice(at + name.length)];
    const endsHere = after === '' || !inName.test(after.charAt(0)) || /^\.(\s|$)/.test(after);
    if (endsHere && (before === '' || !inName.test(before))) return true;
  }
  return false;
}
