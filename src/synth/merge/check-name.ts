import { objectText } from '../../assembly/index.js';
import { composedName, longestCronJobName, nameFormatErrors, nameFormatOf, startOfName } from '../../schema/index.js';
import { groupOf } from '../../util/api-version.js';
import { FieldwiseError } from '../../util/error.js';
import { ipVersion } from '../../util/ip-address.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { MergedIntent } from './merged-intent.js';

/**
 * Checks that a server takes the name of an object, its generateName and the name of its namespace: it would refuse the object only after
 * questions were answered and others were written.
 *
 * @throws FieldwiseError `object-name-invalid`.
 */
export function checkName({ identity, object, declared }: Pick<MergedIntent, 'identity' | 'object' | 'declared'>): void {
  const { apiVersion, kind, name, namespace } = identity;
  const group = groupOf(apiVersion);
  const format = nameFormatOf(group, kind);
  const { generateName } = object.metadata;
  const refuse = (field: string, what: string, reasons: readonly string[], next: string) => {
    const [reason] = reasons;
    if (reason === undefined) return;
    throw new FieldwiseError('object-name-invalid', 'usage', `${what}: ${reason} (.metadata.${field})`, {
      location: { ...declared[0]?.location, object: objectText(identity), field: `.metadata.${field}` },
      next,
    });
  };
  const named = `A ${kind} cannot be named ${JSON.stringify(name)}`;
  const wanted = composedName(group, kind, object.spec);
  const isMisnamed = wanted !== undefined && wanted !== name;
  refuse('name', named, nameFormatErrors(format, name), 'Choose another name.');
  refuse('name', named, isMisnamed ? [`by its spec, it is ${JSON.stringify(wanted)}`] : [], 'Correct the name or the spec.');
  refuse('name', named, ownRules(group, kind, name, object), 'Choose another name.');
  if (typeof generateName === 'string' && generateName !== '')
    refuse(
      'generateName',
      `No ${kind} can have a name that begins with ${JSON.stringify(generateName)}`,
      nameFormatErrors(format, startOfName(format, generateName)),
      'Leave generateName out: an apply does not use it.',
    );
  if (namespace !== undefined)
    refuse(
      'namespace',
      `No namespace can be named ${JSON.stringify(namespace)}`,
      nameFormatErrors('label', namespace),
      'Correct the namespace of the object, of its stack, or of the configuration.',
    );
}

/** The rules of single kinds. Source: Kubernetes documentation "CronJob", API reference, IPAddress; as observed. */
function ownRules(group: string, kind: string, name: string, { spec }: JsonObject): readonly string[] {
  const tooLong = (length: number) => (name.length > length ? [`must be no more than ${length} characters`] : []);
  if (kind === 'IPAddress' && group === 'networking.k8s.io')
    return isCanonicalAddress(name) ? [] : ['must be a valid IP address in canonical form'];
  if (group !== 'batch') return [];
  if (kind === 'CronJob') return tooLong(longestCronJobName);
  // The server makes the name a label of the Pods, unless the Job has a selector of its own. Only the creator declares a template.
  const isLabel = kind === 'Job' && isJsonObject(spec) && spec.template !== undefined && spec.manualSelector !== true;
  return isLabel ? tooLong(63) : [];
}

function isCanonicalAddress(text: string): boolean {
  const version = ipVersion(text);
  if (version !== 6) return version === 4;
  const host = new URL(`http://[${text}]`).hostname;
  return host === `[${text}]` && !host.startsWith('[::ffff:');
}
