import type { JsonObject } from '../../../util/json.js';
import { urlProblem } from '../../../util/url-parts.js';
import { type FieldError, invalidValue, required } from '../../api/field-error.js';
import { structOf } from '../../api/json-access.js';
import { label1035Texts, subdomainTexts } from '../../api/name-rules.js';

/** The versions of reviews that a server sends, for admission and conversion. */
export const reviewVersions = ['v1', 'v1beta1'];

/** Validates where a webhook is, of admission or conversion. Source: Kubernetes API reference, WebhookClientConfig; messages as observed. */
export function clientConfigErrors({ url, service }: JsonObject, path: string): readonly FieldError[] {
  if ((url === undefined) === (service === undefined)) return [required(path, 'exactly one of url or service is required')];
  return url === undefined ? serviceErrors(structOf(service), `${path}.service`) : urlErrors(String(url), `${path}.url`);
}

const form = '; desired format: https://host[/path]';

function urlErrors(text: string, field: string): readonly FieldError[] {
  const [, scheme = '', authority, query, fragment] =
    /^(?:([a-zA-Z][\w+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  const problem = text === '' ? undefined : urlProblem(text.replace(/#.*$/s, ''));
  if (problem?.startsWith('parse') && scheme !== '') return [required(field, `url must be a valid URL: ${problem}${form}`)];
  const [host, user] = (authority ?? '').split('@').reverse();
  return [
    ...(scheme.toLowerCase() === 'https'
      ? []
      : [invalidValue(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`)]),
    ...(host ? [] : [invalidValue(field, '', `host must be specified${form}`)]),
    ...(user === undefined ? [] : [invalidValue(field, user, 'user information is not permitted in the URL')]),
    ...(fragment ? [invalidValue(field, fragment, 'fragments are not permitted in the URL')] : []),
    ...(query ? [invalidValue(field, query, 'query parameters are not permitted in the URL')] : []),
  ];
}

function serviceErrors({ name, namespace, path, port = 443 }: JsonObject, field: string): readonly FieldError[] {
  const isPort = Number(port) >= 1 && Number(port) <= 65535;
  return [
    // The server calls the namespace a name, and the name a namespace.
    ...(namespace ? [] : [required(`${field}.name`)]),
    ...(name ? [] : [required(`${field}.namespace`)]),
    ...(isPort ? [] : [invalidValue(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...(typeof path === 'string' ? pathErrors(path, `${field}.path`) : []),
  ];
}

function pathErrors(path: string, field: string): readonly FieldError[] {
  if (path === '' || path === '/') return [];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(path.startsWith('/') ? [] : [invalidValue(field, path, "must start with a '/'")]),
    ...steps.flatMap((step, index) => {
      if (step === '') return [invalidValue(field, path, `segment[${index}] may not be empty`)];
      return subdomainTexts(step).map((text) => invalidValue(field, path, `segment[${index}]: ${text}`));
    }),
  ];
}

/** Validates the versions of reviews that a webhook knows, of which there is one. */
export function reviewVersionErrors(versions: readonly string[], field: string): readonly FieldError[] {
  const errors = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalidValue(`${field}[${index}]`, version, 'duplicate version')];
    return label1035Texts(version).map((text) => invalidValue(`${field}[${index}]`, version, text));
  });
  const isKnown = versions.some((version) => reviewVersions.includes(version));
  return isKnown ? errors : [...errors, invalidValue(field, versions, `must include at least one of ${reviewVersions.join(', ')}`)];
}
