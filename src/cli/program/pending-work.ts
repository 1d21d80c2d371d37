import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

/** The resources that keep a process alive, as Node lists them. */
export interface ActiveResources {
  /** Sockets, servers, child processes and the like. */
  readonly handles: readonly object[];
  /** The kinds of all resources, each as often as there are some of it. */
  readonly kinds: readonly string[];
}

/** Returns what keeps this process alive now. Node counts neither worker threads nor what runs in its thread pool for native modules. */
export function activeResources(): ActiveResources {
  // Undocumented, and the only way to a handle: `getActiveResourcesInfo` has the kinds alone.
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles(): object[] };
  return { handles: handles.call(process), kinds: process.getActiveResourcesInfo() };
}

/** Says what keeps this process alive, apart from what did before, such as `a timer, a connection to 10.0.0.1:443`. */
export function pendingText(before: ActiveResources, now: ActiveResources): string {
  const old = new Set(before.handles);
  const handles = now.handles.filter((handle) => !old.has(handle)).map(handleText);
  const earlier = countsOf(before.kinds);
  const others = [...countsOf(now.kinds)].flatMap(([kind, count]) => {
    const name = nameOf(kind);
    return name === undefined ? [] : Array<string>(Math.max(0, count - (earlier.get(kind) ?? 0))).fill(name);
  });
  const texts = [...countsOf([...handles, ...others])].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
  return texts.length > 0 ? texts.join(', ') : 'a worker thread, or work of a native module, such as compression or cryptography';
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

const names: Readonly<Record<string, string>> = {
  Timeout: 'a timer (setTimeout or setInterval)',
  Immediate: 'an immediate (setImmediate)',
  FSReqPromise: 'an operation on a file',
  FSReqCallback: 'an operation on a file',
  GetAddrInfoReqWrap: 'a look-up of an address',
  TCPConnectWrap: 'a connection that is being made',
};

/** Returns the name of a resource that is not one of the handles; undefined for the others. */
function nameOf(kind: string): string | undefined {
  return names[kind] ?? (/Req/.test(kind) ? `a request of type ${kind}` : undefined);
}

function handleText(handle: object): string {
  if (handle instanceof ChildProcess) return `the child process ${handle.pid} (${handle.spawnfile})`;
  if (handle instanceof Server) {
    const address = handle.address();
    if (address === null) return 'a server';
    return typeof address === 'string' ? `a server at ${address}` : `a server at port ${address.port}`;
  }
  if (handle instanceof Socket) {
    if ((handle as { readonly fd?: unknown }).fd === 0) return 'standard input';
    return handle.remoteAddress === undefined ? 'a connection or pipe' : `a connection to ${handle.remoteAddress}:${handle.remotePort}`;
  }
  const name = handle.constructor?.name;
  return name === 'MessagePort' ? 'a worker thread or message port' : `a handle of type ${name}`;
}
