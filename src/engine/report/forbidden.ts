import { ApiError, isForbidden } from '../../kubernetes/index.js';
import type { ErrorCode } from '../../util/error-codes.js';

/** The next step after a refusal with status 403, and its code. */
interface Advice {
  readonly code: Extract<ErrorCode, 'forbidden' | 'admission-denied'>;
  readonly next: string;
}

interface KnownRefusal {
  readonly says: RegExp;
  readonly advise: (groups: Readonly<Record<string, string>>) => Advice;
}

const admission = (next: string): Advice => ({ code: 'admission-denied', next });

/**
 * Refusals that a server answers with the same status as a missing right, by their texts. Source: observed with Kubernetes 1.36, and its documentation
 * of admission plugins ("Admission Control in Kubernetes").
 */
const knownRefusals: readonly KnownRefusal[] = [
  {
    says: /is attempting to grant RBAC permissions not currently held/,
    advise: () => ({
      code: 'forbidden',
      next: 'Nobody may grant rights without holding them. Deploy with credentials that hold all that the message lists, or that have the verb `escalate` on roles, or `bind` on the role that a binding names.',
    }),
  },
  {
    says: /exceeded quota: (?<quota>[^,\s]+)/,
    advise: ({ quota }) =>
      admission(
        `Declare less of what ResourceQuota ${quota} counts, remove what is not needed, or have the quota raised by those who keep it.`,
      ),
  },
  {
    says: /failed quota: (?<quota>\S+): must specify/,
    advise: ({ quota }) =>
      admission(`Declare what the message names: ResourceQuota ${quota} counts it. A LimitRange in the namespace can set it by default.`),
  },
  {
    says: /status unknown for quota: (?<quota>[^,\s]+)/,
    advise: ({ quota }) =>
      admission(
        `The controller of quotas has not counted ResourceQuota ${quota} yet. Deploy again; if that does not help, find out whether it runs.`,
      ),
  },
  {
    says: /(?:maximum|minimum) \S+ usage per \S+ is |limit to request ratio per /,
    advise: () =>
      admission(
        'Declare values within the LimitRange of the namespace (`kubectl get limitranges` shows it), or have it changed by those who keep it.',
      ),
  },
  {
    says: /violates PodSecurity "(?<level>[^":]+)/,
    advise: ({ level }) =>
      admission(
        `Change the pod as the message says, or have the label pod-security.kubernetes.io/enforce: ${level} of the namespace changed by those who keep it.`,
      ),
  },
  {
    says: /no PriorityClass with name (?<name>\S+) was found/,
    advise: ({ name }) =>
      admission(`Create PriorityClass ${name} or declare it, or name one that exists (\`kubectl get priorityclasses\`).`),
  },
  {
    says: /RuntimeClass "(?<name>[^"]+)" not found/,
    advise: ({ name }) => admission(`Create RuntimeClass ${name} or declare it, or name one that exists (\`kubectl get runtimeclasses\`).`),
  },
  {
    says: /error looking up service account (?<namespace>[^/\s]+)\/(?<name>[^:\s]+): serviceaccount/,
    advise: ({ namespace, name }) =>
      admission(`Create ServiceAccount ${name} in namespace ${namespace} or declare it: it is applied before the pods that use it.`),
  },
];

/** The form of the authorizer alone, from the beginning of the message: behind it are names that others have chosen. */
const ofAuthorizer = /^(?:\S+(?: "[^"]*")? is forbidden: |forbidden: )?User ".*" cannot \w/s;

/** Returns what to do after a refusal with status 403, by its text: of a write, only that of the authorizer says that a right is missing. */
export function adviceOnForbidden(message: string, method = 'PATCH'): Advice {
  if (method === 'GET' || ofAuthorizer.test(message))
    return {
      code: 'forbidden',
      next: 'Grant this user the verb on that resource (`fieldwise rbac` prints what the program needs), or deploy with other credentials.',
    };
  for (const { says, advise } of knownRefusals) {
    const match = says.exec(message);
    if (match) return advise(match.groups ?? {});
  }
  return admission(
    'Admission of the server refuses it, and the message says why. Other rights do not help: change the program, or what refuses it.',
  );
}

/** Returns true if a request was refused because these credentials lack a right, and not by admission, which answers with the same status. */
export function lacksRight(error: unknown): boolean {
  return error instanceof ApiError && isForbidden(error) && adviceOnForbidden(error.message, error.method).code === 'forbidden';
}
