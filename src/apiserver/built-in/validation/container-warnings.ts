import type { JsonObject } from '../../../util/json.js';
import { listOf, repeatsOf, structOf } from '../../api/json-access.js';
import { rememberingValid } from '../../api/remembering-valid.js';
import { byteWarnings } from './warning-parts.js';

/** Returns warnings about one container of a Pod, in the words and the order of the server. Source: observed. */
export const containerWarnings = rememberingValid((container: JsonObject, path): readonly string[] => [
  ...resourceWarnings(container, path),
  ...envWarnings(container, path),
]);

function resourceWarnings({ resources }: JsonObject, path: string): readonly string[] {
  const { limits, requests } = structOf(resources);
  return ['memory', 'ephemeral-storage'].flatMap((name) => [
    ...byteWarnings(limits, [name], `${path}.resources.limits`),
    ...byteWarnings(requests, [name], `${path}.resources.requests`),
  ]);
}

/** A repeated variable is right if it adds to the one before it. */
function envWarnings(container: JsonObject, path: string): readonly string[] {
  const env = listOf(container.env);
  const repeats = repeatsOf(env.map(({ name }) => name));
  return env.flatMap(({ name, value, valueFrom }, index) => {
    const reference = `$(${String(name)})`;
    const text = String(value ?? '');
    const adds = !valueFrom && text !== reference && text.includes(reference);
    if (!repeats[index] || adds) return [];
    return [`${path}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`];
  });
}
