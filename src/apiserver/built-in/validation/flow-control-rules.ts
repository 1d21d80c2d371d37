import type { Json, JsonObject } from '../../../util/json.js';
import { nameTextErrors, nameTexts } from '../../../util/name-text.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { labelErrors, subdomainErrors } from '../../api/name-rules.js';
import { textsOf } from './match-rules.js';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const methods = ['ByNamespace', 'ByUser'];
const maxPrecedence = 10_000;

/** Validates a FlowSchema. Source: Kubernetes API reference, FlowSchemaSpec; messages as observed. */
export function flowSchemaErrors({ metadata, spec }: JsonObject): readonly FieldError[] {
  const { matchingPrecedence, distinguisherMethod, priorityLevelConfiguration, rules } = structOf(spec);
  const name = String(structOf(priorityLevelConfiguration).name ?? '');
  const level = 'spec.priorityLevelConfiguration.name';
  const { type = '' } = structOf(distinguisherMethod);
  return [
    ...precedenceErrors(Number(matchingPrecedence), structOf(metadata).name === 'exempt'),
    ...(distinguisherMethod === undefined || methods.includes(String(type))
      ? []
      : [unsupported('spec.distinguisherMethod.type', { Type: type }, methods)]), // as the Go struct
    ...(name === '' ? [required(level, 'must reference a priority level')] : subdomainErrors(level, name)),
    ...listOf(rules).flatMap((rule, index) => flowRuleErrors(rule, `spec.rules[${index}]`)),
  ];
}

function precedenceErrors(precedence: number, isExempt: boolean): readonly FieldError[] {
  const refused = (detail: string) => [invalidValue('spec.matchingPrecedence', precedence, detail)];
  if (precedence <= 0) return refused('must be a positive value');
  if (precedence > maxPrecedence) return refused(`must not be greater than ${maxPrecedence}`);
  return precedence === 1 && !isExempt ? refused("only the schema named 'exempt' may have matchingPrecedence 1") : [];
}

function flowRuleErrors({ subjects, resourceRules, nonResourceRules }: JsonObject, at: string): readonly FieldError[] {
  const [resources, others] = [listOf(resourceRules), listOf(nonResourceRules)];
  return [
    ...(listOf(subjects).length === 0 ? [required(`${at}.subjects`, 'subjects must contain at least one value')] : []),
    ...listOf(subjects).flatMap((subject, index) => subjectErrors(subject, `${at}.subjects[${index}]`)),
    ...(resources.length + others.length === 0
      ? [required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...resources.flatMap((rule, index) => resourceRuleErrors(rule, `${at}.resourceRules[${index}]`)),
    ...others.flatMap((rule, index) => urlRuleErrors(rule, `${at}.nonResourceRules[${index}]`)),
  ];
}

/** The members of a subject by its kind, in the order in which the server refuses the others. */
const memberOfKind: Readonly<Record<string, string>> = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' };

function subjectErrors(subject: JsonObject, at: string): readonly FieldError[] {
  const kind = String(subject.kind ?? '');
  const own = memberOfKind[kind];
  if (own === undefined) return [unsupported(`${at}.kind`, kind, Object.keys(memberOfKind).sort())];
  const others = Object.entries(memberOfKind).filter(([, member]) => member !== own && subject[member] !== undefined);
  return [
    ...(subject[own] === undefined
      ? [required(`${at}.${own}`, `${own} is required when subject kind is '${kind}'`)]
      : subjectNameErrors(structOf(subject[own]), `${at}.${own}`, kind)),
    ...others.map(([other, member]) => forbiddenField(`${at}.${member}`, `${member} is forbidden when subject kind is not '${other}'`)),
  ];
}

function subjectNameErrors({ name = '', namespace = '' }: JsonObject, at: string, kind: string): readonly FieldError[] {
  const isAccount = kind === 'ServiceAccount';
  const field = `${at}.name`;
  return [
    ...(name === '' ? [required(field)] : isAccount && name !== '*' ? subdomainErrors(field, String(name)) : []),
    ...(isAccount && namespace === '' ? [required(`${at}.namespace`, 'must specify namespace for service account')] : []),
    ...(isAccount && namespace !== '' ? labelErrors(`${at}.namespace`, String(namespace)) : []),
  ];
}

/** Validates a list in which `*` stands alone. */
function wildcardErrors(list: Json | undefined, at: string, words: string, missing: string): readonly FieldError[] {
  const texts = textsOf(list);
  if (texts.length === 0) return [required(at, missing)];
  return texts.length > 1 && texts.includes('*') ? [invalidValue(at, list, `if '*' is present, must not specify other ${words}`)] : [];
}

function verbErrors(list: Json | undefined, at: string): readonly FieldError[] {
  const errors = wildcardErrors(list, at, 'verbs', 'verbs must contain at least one value');
  const texts = textsOf(list);
  const isKnown = texts.includes('*') || texts.every((verb) => verbs.includes(verb));
  return errors.length > 0 || isKnown ? errors : [unsupported(at, list, verbs)];
}

function resourceRuleErrors(rule: JsonObject, at: string): readonly FieldError[] {
  const { namespaces, clusterScope } = rule;
  const texts = textsOf(namespaces);
  const missing = 'resource rules that are not cluster scoped must supply at least one namespace';
  return [
    ...verbErrors(rule.verbs, `${at}.verbs`),
    ...wildcardErrors(rule.apiGroups, `${at}.apiGroups`, 'api groups', 'resource rules must supply at least one api group'),
    ...wildcardErrors(rule.resources, `${at}.resources`, 'resources', 'resource rules must supply at least one resource'),
    ...(texts.length === 0 && clusterScope === true ? [] : wildcardErrors(namespaces, `${at}.namespaces`, 'namespaces', missing)),
    ...(texts.includes('*') ? [] : texts.flatMap((name, index) => namespaceErrors(name, `${at}.namespaces[${index}]`))),
  ];
}

function namespaceErrors(name: string, at: string): readonly FieldError[] {
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return nameTextErrors(name, nameTexts.label).map((text) => invalidValue(at, name, `${intro}${text}`));
}

function urlRuleErrors(rule: JsonObject, at: string): readonly FieldError[] {
  const field = `${at}.nonResourceURLs`;
  const texts = textsOf(rule.nonResourceURLs);
  return [
    ...verbErrors(rule.verbs, `${at}.verbs`),
    ...wildcardErrors(rule.nonResourceURLs, field, 'non-resource URLs', 'nonResourceURLs must contain at least one value'),
    ...(texts.includes('*') ? [] : texts.flatMap((url, index) => urlErrors(url, `${field}[${index}]`))),
  ];
}

function urlErrors(url: string, at: string): readonly FieldError[] {
  const refused = (detail: string) => [invalidValue(at, url, detail)];
  if (url === '') return refused('must not be empty');
  if (!url.startsWith('/')) return refused('must start with slash');
  if (url.includes(' ')) return refused('must not contain white-space');
  if (url.includes('//')) return refused('must not contain double slash');
  return url.replace(/\/\*$/, '').includes('*') ? refused('wildcard can only do suffix matching') : [];
}

const levelTypes = ['Exempt', 'Limited'];
const responseTypes = ['Queue', 'Reject'];
const keptZeros = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

/** Validates a PriorityLevelConfiguration. Source: Kubernetes API reference, PriorityLevelConfigurationSpec; messages as observed. */
export function priorityLevelErrors({ metadata, spec }: JsonObject): readonly FieldError[] {
  const { name, annotations } = structOf(metadata);
  const { type = '', limited, exempt } = structOf(spec);
  const isExempt = type === 'Exempt';
  const forbidden = isExempt ? limited : exempt;
  return [
    ...(Object.hasOwn(structOf(annotations), keptZeros)
      ? [forbiddenField('metadata.annotations', `annotation '${keptZeros}' is forbidden`)]
      : []),
    ...((name === 'exempt') === isExempt ? [] : [invalidValue('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'")]),
    ...choiceErrors('spec.type', type, levelTypes),
    ...(isExempt && forbidden !== undefined ? [forbiddenField('spec.limited', 'must be nil if the type is not Limited')] : []),
    ...(isExempt && exempt !== undefined ? shareErrors(structOf(exempt), 'spec.exempt') : []),
    ...(type === 'Limited' && forbidden !== undefined ? [forbiddenField('spec.exempt', 'must be nil if the type is Limited')] : []),
    ...(type === 'Limited' ? limitErrors(limited) : []),
  ];
}

function choiceErrors(field: string, choice: Json, known: readonly string[]): readonly FieldError[] {
  if (choice === '') return [required(field)];
  return known.includes(String(choice)) ? [] : [unsupported(field, choice, known)];
}

function sharesErrors(shares: Json | undefined, at: string): readonly FieldError[] {
  return Number(shares ?? 0) < 0 ? [invalidValue(`${at}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')] : [];
}

function lendableErrors(percent: Json | undefined, at: string): readonly FieldError[] {
  const isPercent = Number(percent ?? 0) >= 0 && Number(percent ?? 0) <= 100;
  return isPercent ? [] : [invalidValue(`${at}.lendablePercent`, percent, 'must be between 0 and 100, inclusive')];
}

function shareErrors({ nominalConcurrencyShares, lendablePercent }: JsonObject, at: string): readonly FieldError[] {
  return [...sharesErrors(nominalConcurrencyShares, at), ...lendableErrors(lendablePercent, at)];
}

function limitErrors(limited: Json | undefined): readonly FieldError[] {
  const at = 'spec.limited';
  if (limited === undefined) return [required(at, 'must not be empty when type is Limited')];
  const { nominalConcurrencyShares, limitResponse, lendablePercent, borrowingLimitPercent: borrowed } = structOf(limited);
  return [
    ...sharesErrors(nominalConcurrencyShares, at),
    ...responseErrors(structOf(limitResponse), `${at}.limitResponse`),
    ...lendableErrors(lendablePercent, at),
    ...(Number(borrowed ?? 0) < 0
      ? [invalidValue(`${at}.borrowingLimitPercent`, borrowed, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

function responseErrors({ type = '', queuing }: JsonObject, at: string): readonly FieldError[] {
  const field = `${at}.queuing`;
  if (type === 'Reject')
    return queuing === undefined ? [] : [forbiddenField(field, 'must be nil if limited.limitResponse.type is not Limited')];
  if (type !== 'Queue') return choiceErrors(`${at}.type`, type, responseTypes);
  if (queuing === undefined) return [required(field, 'must not be empty if limited.limitResponse.type is Limited')];
  return queueErrors(structOf(queuing), field);
}

const maxQueues = 10_000_000;
/** A hand of queues is dealt from one hash, which has this many usable bits. */
const maxHashBits = 60;

function queueErrors(queuing: JsonObject, at: string): readonly FieldError[] {
  const [queues, hand, length] = [queuing.queues, queuing.handSize, queuing.queueLengthLimit].map((one) => Number(one ?? 0)) as [
    number,
    number,
    number,
  ];
  const refused = (member: string, value: number, detail: string) => [invalidValue(`${at}.${member}`, value, detail)];
  const handErrors = () => {
    if (hand <= 0) return refused('handSize', hand, 'must be positive');
    if (hand > queues) return refused('handSize', hand, `should not be greater than queues (${queues})`);
    if (Math.ceil(Math.log2(queues) * hand) <= maxHashBits) return [];
    const bits = `required entropy bits of deckSize ${queues} and handSize ${hand}`;
    return refused('handSize', hand, `${bits} should not be greater than ${maxHashBits}`);
  };
  return [
    ...(length <= 0 ? refused('queueLengthLimit', length, 'must be positive') : []),
    ...(queues <= 0 ? refused('queues', queues, 'must be positive') : []),
    ...(queues > maxQueues ? refused('queues', queues, `must not be greater than ${maxQueues}`) : []),
    ...handErrors(),
  ];
}
