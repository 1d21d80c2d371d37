import { urlProblem } from '../../../cel/functions/url.js';
import { metadataOf } from '../../../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { structOf } from '../convert/json-access.js';
import { label1035Texts, subdomainTexts } from './name-rules.js';
import { authorityProblem } from './pem-rules.js';

const reviewVersions = ['v1', 'v1beta1'];
const at = 'spec.conversion';

/** Validates how objects are converted between versions. Source: Kubernetes API reference, CustomResourceConversion; messages as observed. */
export function conversionErrors(conversion: Json | undefined, live: Json | undefined): readonly FieldError[] {
  if (!isJsonObject(conversion)) return [];
  const { strategy, webhook } = conversion;
  const { clientConfig, conversionReviewVersions } = structOf(webhook);
  const versions = Array.isArray(conversionReviewVersions) ? (conversionReviewVersions as readonly Json[]).map(String) : [];
  if (strategy === 'Webhook') return [...clientErrors(clientConfig), ...bundleErrors(conversion, live), ...reviewVersionErrors(versions)];
  const detail = 'should not be set when strategy is not set to Webhook';
  return [
    ...(strategy ? [] : [required(`${at}.strategy`)]),
    ...(strategy && strategy !== 'None' ? [unsupported(`${at}.strategy`, strategy, ['None', 'Webhook'])] : []),
    ...(isJsonObject(clientConfig) ? [forbiddenField(`${at}.webhookClientConfig`, detail)] : []),
    ...(versions.length > 0 ? [forbiddenField(`${at}.conversionReviewVersions`, detail)] : []),
  ];
}

function clientErrors(config: Json | undefined): readonly FieldError[] {
  const path = `${at}.webhookClientConfig`;
  if (!isJsonObject(config)) return [required(path, 'required when strategy is set to Webhook')];
  const { url, service } = config;
  if ((url === undefined) === (service === undefined)) return [required(path, 'exactly one of url or service is required')];
  return url === undefined ? serviceErrors(structOf(service), `${path}.service`) : urlErrors(String(url), `${path}.url`);
}

/** A new definition, and one that has an invalid bundle, may have any. Source: observed. */
function bundleErrors(conversion: JsonObject, live: Json | undefined): readonly FieldError[] {
  const problem = caBundleProblem(conversion);
  if (problem === undefined || live === undefined || caBundleProblem(live) !== undefined) return [];
  return [invalidValue(`${at}.webhookClientConfig.caBundle`, bundleOf(conversion), `unable to load root certificates: ${problem}`)];
}

/** Returns why the certificate authorities of a conversion webhook are not valid. */
export function caBundleProblem(conversion: Json | undefined): string | undefined {
  const bundle = bundleOf(conversion);
  return bundle === '' ? undefined : authorityProblem(Buffer.from(bundle, 'base64').toString('utf8'));
}

function bundleOf(conversion: Json | undefined): string {
  const { caBundle = '' } = structOf(structOf(structOf(conversion).webhook).clientConfig);
  return String(caBundle ?? '');
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

function reviewVersionErrors(versions: readonly string[]): readonly FieldError[] {
  const field = `${at}.conversionReviewVersions`;
  if (versions.length === 0) return [required(field)];
  const errors = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalidValue(`${field}[${index}]`, version, 'duplicate version')];
    return label1035Texts(version).map((text) => invalidValue(`${field}[${index}]`, version, text));
  });
  const isKnown = versions.some((version) => reviewVersions.includes(version));
  return isKnown ? errors : [...errors, invalidValue(field, versions, `must include at least one of ${reviewVersions.join(', ')}`)];
}

const approval = 'api-approved.kubernetes.io';
const discussion = 'see https://github.com/kubernetes/enhancements/pull/1111';

/**
 * Validates that a definition in a group of the Kubernetes community names its review. Source: Kubernetes API reference,
 * annotation `api-approved.kubernetes.io`; messages as observed.
 */
export function approvalErrors(crd: JsonObject, live: JsonObject | undefined): readonly FieldError[] {
  if (!isProtectedGroup(crd)) return [];
  const state = approvalState(crd);
  if (live !== undefined && approvalState(live) === state) return [];
  const field = `metadata.annotations[${approval}]`;
  if (state === 'missing') return [required(field, `protected groups must have approval annotation "${approval}", ${discussion}`)];
  if (state !== 'invalid') return [];
  const detail = `protected groups must have approval annotation "${approval}" with either a URL or a reason starting with "unapproved", ${discussion}`;
  return [invalidValue(field, approvalOf(crd), detail)];
}

/** Returns true for a group of the Kubernetes community, whose definitions name their review. */
export function isProtectedGroup(crd: JsonObject): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(String(structOf(crd.spec).group));
}

/** Returns the state of a definition's review by its annotation. */
export function approvalState(crd: JsonObject): 'missing' | 'bypassed' | 'approved' | 'invalid' {
  const text = approvalOf(crd);
  if (text === '') return 'missing';
  if (text.startsWith('unapproved')) return 'bypassed';
  return urlProblem(text) === undefined && /^[a-zA-Z][\w+.-]*:\/\/[^/?#]/.test(text) ? 'approved' : 'invalid';
}

/** Returns the annotation that names the review; empty if there is none. */
export function approvalOf(crd: JsonObject): string {
  const { [approval]: text = '' } = structOf(metadataOf(crd).annotations as Json | undefined);
  return String(text);
}
