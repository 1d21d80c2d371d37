import { conditionOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { pluralize } from '../../util/pluralize.js';
import { current, failed, inProgress, type Readiness } from '../report/readiness-state.js';
import { count, listOf, member, specOf, statusOf } from './object.js';

/** Reports a Job as ready when it has succeeded: dependents of a Job need its work done. Source: Kubernetes documentation "Jobs". */
export function jobReadiness(object: JsonObject): Readiness {
  const failure = conditionOf(object, 'Failed');
  if (failure?.status === 'True') return failed(failure.reason || 'Failed', failure.message || 'its pods failed too often');
  if (conditionOf(object, 'Complete')?.status === 'True') return current('Complete', 'it has succeeded');
  if (specOf(object).suspend === true) return current('Suspended', 'it is suspended');
  const { active, succeeded } = statusOf(object);
  return inProgress(
    'Running',
    `${count(succeeded)} of ${count(specOf(object).completions, 1)} completions, ${pluralize(count(active), 'pod')} active`,
  );
}

/** Source: Kubernetes documentation "Persistent Volumes", "Binding" and "Phase". */
export function claimReadiness(object: JsonObject): Readiness {
  const { phase } = statusOf(object);
  if (phase === 'Bound') return current('Bound', 'it is bound');
  if (phase === 'Lost') return failed('Lost', 'its volume is lost');
  return inProgress(String(phase ?? 'Pending'), 'it is not bound to a volume yet');
}

/** Source: Kubernetes documentation "Extend the Kubernetes API with CustomResourceDefinitions". */
export function crdReadiness(object: JsonObject): Readiness {
  const names = conditionOf(object, 'NamesAccepted');
  if (names?.status === 'False') return failed(names.reason || 'NamesNotAccepted', `its names are not accepted: ${names.message}`);
  const established = conditionOf(object, 'Established');
  if (established?.status === 'True') return current('Established', 'it is established');
  return inProgress(established?.reason || 'NotEstablished', established?.message || 'it is not established yet');
}

/** Only a load balancer takes time. Source: Kubernetes documentation "Service", "type: LoadBalancer". */
export function serviceReadiness(object: JsonObject): Readiness {
  if (specOf(object).type !== 'LoadBalancer') return current('Served', 'it is not a load balancer');
  const provisioned = listOf(member(statusOf(object), 'loadBalancer').ingress).length > 0;
  return provisioned
    ? current('Provisioned', 'its load balancer has an address')
    : inProgress('Provisioning', 'its load balancer has no address yet');
}
