import type { InterceptionProxy } from '../harness/interception-proxy.js';

/** Faults of one request, or of every request from one on (`dead`). */
export const faults = ['drop', 'lose', 'delay', 'duplicate', 'truncate', '429', '500', '500 etcd', '503', 'reset', 'dead'] as const;

export type Fault = (typeof faults)[number];

const refusal = (status: number, message: string, headers: Record<string, string> = {}) => ({
  status,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'InternalError', message, code: status },
  headers,
});

/** Lets a fault befall the request with this number, counted from now. */
export function injectFault(proxy: InterceptionProxy, fault: Fault, index: number): void {
  proxy.requests.length = 0;
  const struck = (request: object) => {
    const number = proxy.requests.indexOf(request as never);
    return fault === 'dead' ? number >= index : number === index;
  };
  proxy.onRequest = async (request) => {
    if (!struck(request)) return undefined;
    switch (fault) {
      case 'drop':
      case 'dead':
        return 'drop';
      case 'delay':
        await new Promise((resolve) => setTimeout(resolve, 400));
        return undefined;
      case 'duplicate':
        return 'duplicate';
      case '429':
        return refusal(429, 'too many requests', { 'retry-after': '0' });
      case '500':
        return refusal(500, 'something is on fire');
      case '500 etcd':
        return refusal(500, 'etcdserver: leader changed');
      case '503':
        return refusal(503, 'not ready');
      default:
        return undefined;
    }
  };
  proxy.onResponse = (request) => {
    if (!struck(request)) return undefined;
    return fault === 'lose' || fault === 'truncate' || fault === 'reset' ? fault : undefined;
  };
}

/** Lets everything pass again. */
export function liftFaults(proxy: InterceptionProxy): void {
  proxy.requests.length = 0;
  proxy.onRequest = () => undefined;
  proxy.onResponse = () => undefined;
}
