import { nameOf } from '../../../../fields/object.js';
import type { JsonObject } from '../../../../util/json.js';
import { mayMatchRule, rulesOf } from './admission-rules.js';
import type { Observer } from './observer.js';

/**
 * Returns the webhooks of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration. Their match conditions are not evaluated: each is
 * taken to hold.
 *
 * @param kind the kind of the configuration, which items of a list lack.
 */
export function webhookObservers(configuration: JsonObject, kind: string): readonly Observer[] {
  return (rulesOf(configuration, 'webhooks') ?? []).map((webhook) => {
    const rules = rulesOf(webhook, 'rules');
    return {
      source: `${kind} ${nameOf(configuration)}`,
      observes: (place) => rules === undefined || rules.some((rule) => mayMatchRule(rule, place, webhook.matchPolicy)),
      namespaceSelectors: [webhook.namespaceSelector ?? null],
      objectSelectors: [webhook.objectSelector ?? null],
      limitsNames: false,
    };
  });
}
