import { metadataOf } from '../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { nonNegativeErrors } from '../../api/name-rules.js';
import type { UpdateContext } from '../../registry/resource.js';
import { selectorMatcher } from '../../registry/selectors.js';
import { amountErrors, percentErrors, podsIn } from './amount-rules.js';
import { podTemplateErrors } from './pod-rules.js';
import { labelSelectorErrors, selectorMismatch } from './scheduling-rules.js';

/** Validates a Deployment. Source: Kubernetes documentation "Deployments"; messages as observed. */
export function deploymentErrors(object: JsonObject): readonly FieldError[] {
  const spec = structOf(object.spec);
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  const isShort = typeof deadline === 'number' && deadline <= Number(minReadySeconds);
  return [
    ...nonNegativeErrors('spec.replicas', spec.replicas),
    ...ownedPodsErrors(object),
    ...deploymentStrategyErrors(structOf(spec.strategy)),
    ...nonNegativeErrors('spec.minReadySeconds', minReadySeconds),
    ...nonNegativeErrors('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...nonNegativeErrors('spec.progressDeadlineSeconds', deadline),
    ...(isShort ? [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')] : []),
  ];
}

/** Validates a ReplicaSet. Source: Kubernetes documentation "ReplicaSet"; messages as observed. */
export function replicaSetErrors(object: JsonObject): readonly FieldError[] {
  const { replicas, minReadySeconds } = structOf(object.spec);
  return [
    ...nonNegativeErrors('spec.replicas', replicas),
    ...nonNegativeErrors('spec.minReadySeconds', minReadySeconds),
    ...ownedPodsErrors(object),
  ];
}

/** Validates a DaemonSet. Source: Kubernetes documentation "DaemonSet"; messages as observed. */
export function daemonSetErrors(object: JsonObject): readonly FieldError[] {
  const { minReadySeconds, updateStrategy, revisionHistoryLimit } = structOf(object.spec);
  return [
    ...ownedPodsErrors(object),
    ...nonNegativeErrors('spec.minReadySeconds', minReadySeconds),
    ...daemonStrategyErrors(structOf(updateStrategy)),
    ...nonNegativeErrors('spec.revisionHistoryLimit', revisionHistoryLimit),
  ];
}

/** Validates a ControllerRevision. Source: Kubernetes API reference, ControllerRevision; messages as observed. */
export function controllerRevisionErrors({ revision, data }: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const wrong = nonNegativeErrors('revision', revision);
  if (update !== undefined || isJsonObject(data)) return wrong;
  return [...wrong, required('data', (data ?? null) === null ? 'data is mandatory' : 'data must be a valid JSON object')];
}

/** Validates the selector of a workload and the template of the Pods that it keeps running. */
export function ownedPodsErrors(object: JsonObject): readonly FieldError[] {
  const spec = structOf(object.spec);
  const { selector, template } = spec;
  const { labels } = structOf(structOf(template).metadata);
  const invalid = labelSelectorErrors(structOf(selector), 'spec.selector');
  const isDaemonSet = object.kind === 'DaemonSet';
  if (invalid.length > 0 && !isDaemonSet) {
    const detail = object.kind === 'StatefulSet' ? '' : 'invalid label selector';
    return [...invalid, invalidValue('spec.selector', selector, detail)];
  }
  return [
    ...(invalid.length > 0 ? invalid : selectorErrors(object, selector, labels)),
    ...podTemplateErrors(withClaimedVolumes(structOf(template), spec), 'spec.template'),
    ...ownerErrors(object),
  ];
}

function selectorErrors(object: JsonObject, selector: Json | undefined, labels: Json | undefined): readonly FieldError[] {
  // An absent selector matches no labels, so the server reports both errors.
  if (!isJsonObject(selector)) return [...(object.kind === 'DaemonSet' ? [] : [required('spec.selector')]), selectorMismatch(labels)];
  if (Object.keys(selector).length === 0)
    return [invalidValue('spec.selector', selector, `empty selector is invalid for ${selectingKind(object)}`)];
  return selectorMatcher(selector)({ metadata: { labels: structOf(labels) } }) ? [] : [selectorMismatch(labels)];
}

/** Returns a kind as the message about its empty selector names it. */
function selectingKind({ kind }: JsonObject): string {
  return kind === 'ReplicaSet' ? 'deployment' : String(kind).toLowerCase();
}

function shownStrategy({ type, rollingUpdate }: JsonObject): Json {
  const { maxUnavailable = null, maxSurge = null } = structOf(rollingUpdate);
  const shown = isJsonObject(rollingUpdate) ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null;
  return { Type: type ?? '', RollingUpdate: shown };
}

function deploymentStrategyErrors(strategy: JsonObject): readonly FieldError[] {
  const { type, rollingUpdate } = strategy;
  const at = 'spec.strategy.rollingUpdate';
  if (type === 'Recreate')
    return rollingUpdate === undefined ? [] : [forbiddenField(at, "may not be specified when strategy `type` is 'Recreate'")];
  if (type !== 'RollingUpdate') return [unsupported('spec.strategy', shownStrategy(strategy), ['Recreate', 'RollingUpdate'])];
  const { maxUnavailable, maxSurge } = structOf(rollingUpdate);
  const isNone = podsIn(maxUnavailable) === 0 && podsIn(maxSurge) === 0;
  return [
    ...amountErrors(`${at}.maxUnavailable`, maxUnavailable),
    ...amountErrors(`${at}.maxSurge`, maxSurge),
    ...(isNone ? [invalidValue(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
    ...percentErrors(`${at}.maxUnavailable`, maxUnavailable),
  ];
}

function daemonStrategyErrors(strategy: JsonObject): readonly FieldError[] {
  const { type, rollingUpdate } = strategy;
  const at = 'spec.updateStrategy.rollingUpdate';
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [unsupported('spec.updateStrategy', shownStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  const { maxUnavailable, maxSurge } = structOf(rollingUpdate);
  const [unavailable, surge] = [podsIn(maxUnavailable), podsIn(maxSurge)];
  return [
    ...amountErrors(`${at}.maxUnavailable`, maxUnavailable),
    ...amountErrors(`${at}.maxSurge`, maxSurge),
    ...percentErrors(`${at}.maxUnavailable`, maxUnavailable),
    ...percentErrors(`${at}.maxSurge`, maxSurge),
    ...(unavailable !== 0 && surge > 0 ? [invalidValue(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')] : []),
    ...(unavailable === 0 && surge === 0 ? [required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')] : []),
  ];
}

/** Returns the template of a StatefulSet with the volumes of its Pods: those of its claims come first and replace others of their name. */
function withClaimedVolumes(template: JsonObject, { volumeClaimTemplates }: JsonObject): JsonObject {
  const names = listOf(volumeClaimTemplates).map((claim) => metadataOf(claim).name ?? '');
  if (names.length === 0) return template;
  const spec = structOf(template.spec);
  const others = listOf(spec.volumes).filter(({ name }) => !names.includes(String(name)));
  const claimed = names.map((name): JsonObject => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...spec, volumes: [...claimed, ...others] } };
}

/** Validates what a workload that keeps its Pods running does not allow in their template. */
export function ownerErrors({ kind, spec }: JsonObject): readonly FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = structOf(structOf(structOf(spec).template).spec);
  const path = 'spec.template.spec';
  const owner = kind === 'Deployment' ? 'ReplicaSet' : String(kind);
  return [
    ...(restartPolicy === 'Always' || restartPolicy === undefined ? [] : [unsupported(`${path}.restartPolicy`, restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbiddenField(`${path}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${owner} is not Supported`)]),
  ];
}
