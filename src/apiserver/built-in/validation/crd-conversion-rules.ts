import { metadataOf } from '../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { urlProblem } from '../../../util/url-parts.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { structOf } from '../../api/json-access.js';
import { authorityProblem } from './pem-rules.js';
import { clientConfigErrors, reviewVersionErrors } from './reviewer-rules.js';

const at = 'spec.conversion';

/** Validates how objects are converted between versions. Source: Kubernetes API reference, CustomResourceConversion; messages as observed. */
export function conversionErrors(conversion: Json | undefined, live: Json | undefined): readonly FieldError[] {
  if (!isJsonObject(conversion)) return [];
  const { strategy, webhook } = conversion;
  const { clientConfig, conversionReviewVersions } = structOf(webhook);
  const versions = Array.isArray(conversionReviewVersions) ? (conversionReviewVersions as readonly Json[]).map(String) : [];
  if (strategy === 'Webhook') return [...clientErrors(clientConfig), ...bundleErrors(conversion, live), ...reviewErrors(versions)];
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
  return isJsonObject(config) ? clientConfigErrors(config, path) : [required(path, 'required when strategy is set to Webhook')];
}

function reviewErrors(versions: readonly string[]): readonly FieldError[] {
  const field = `${at}.conversionReviewVersions`;
  return versions.length === 0 ? [required(field)] : reviewVersionErrors(versions, field);
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
