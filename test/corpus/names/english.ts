import { wordsOf } from './contradiction.js';

// English words that end as the stems of plurals in -es do: `aliase` is none of them, `release` is.
const endsInE = new Set(
  (
    'axe base bronze browse cache case cause clause close collapse course database disease else enterprise exercise expense false freeze ' +
    'gauze house horse increase decrease lapse lease license maze merchandise niche noise nurse offense parse pause phase phrase premise ' +
    'prize promise pulse purchase purpose quiche raise reverse release response reuse rise rose rule sense size sparse tense use ' +
    'universe verse warehouse wise'
  ).split(' '),
);
const endsInIe = new Set('calorie cookie genie lie movie pie rookie tie zombie'.split(' '));
// Words and abbreviations that end in s although they are no plurals.
const endsInS = new Set(
  (
    'access address alias analysis atlas aws axis basis bias bonus bus canvas census chaos class compress consensus continuous cors corpus ' +
    'cross dns egress ems express focus gas gcs gps ingress jks kms kubernetes lens less loss mass nats nexus ' +
    'os pass previous process progress prometheus press radius rds redis regress series sms sns species sqs status stress ' +
    'success sys tls tps various virus'
  ).split(' '),
);

/**
 * Returns true if the last word of a type's name is what is left when a word loses its s and is then no English singular: `HostAliase`,
 * `ShardStatuse`, `Policie`, `Statu`, `Matche`. The rule knows the words that it has met; it finds the usual mistakes and not all.
 */
export function isBadSingular(base: string): boolean {
  const last = wordsOf(base.replace(/\d+$/, '')).at(-1) ?? '';
  if (endsInS.has(`${last}s`)) return true;
  if (/[^aeiou]ie$/.test(last)) return !endsInIe.has(last);
  return /(s|x|z|ch|sh)e$/.test(last) && !endsInE.has(last);
}
