import { FieldwiseError } from '../../util/error.js';

const timeout = 60_000; // milliseconds for the whole answer
const maxBytes = 256 * 1024 * 1024;

/**
 * Reads what an address answers to GET, redirects followed.
 *
 * @throws FieldwiseError `source-unreachable` when it does not answer, or with anything but success.
 */
export async function fetchBytes(url: string, signal?: AbortSignal): Promise<Buffer> {
  const limit = AbortSignal.timeout(timeout);
  try {
    const answer = await fetch(url, {
      headers: { 'user-agent': 'fieldwise', accept: '*/*' },
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      throw unreachable(url, `it answered ${answer.status}${answer.statusText === '' ? '' : ` ${answer.statusText}`}`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) throw unreachable(url, `it answers with more than ${maxBytes / 1024 / 1024} MB`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof FieldwiseError) throw error;
    if (signal?.aborted) throw new FieldwiseError('interrupted', 'interrupted', 'Interrupted');
    throw unreachable(url, limit.aborted ? `no whole answer within ${timeout / 1000} s` : reasonOf(error), error);
  }
}

function unreachable(url: string, reason: string, cause?: unknown): FieldwiseError {
  return new FieldwiseError('source-unreachable', 'usage', `The source cannot be read: ${reason}`, {
    place: { server: url },
    next: 'Check the address and the network; or download the file and pass its path',
    ...(cause === undefined ? {} : { cause }),
  });
}

// fetch says only "fetch failed"; the reason stands in the cause.
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = (cause as NodeJS.ErrnoException).code;
  return cause.message === '' ? (code ?? cause.name) : cause.message;
}
