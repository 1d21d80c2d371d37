import { createReadStream } from 'node:fs';
import path from 'node:path';
import { FieldwiseError } from '../../util/error.js';
import type { Host } from '../process/host.js';
import type { MessageSource } from './subject.js';

const mega = 1024 * 1024;
/** Bytes of a message: the log of a long run. */
const maxMegabytes = 64;

/**
 * Reads the message to explain.
 *
 * @throws FieldwiseError `input-missing`, `source-too-large`.
 */
export async function readMessage(source: MessageSource, host: Host): Promise<string> {
  if (source.from === 'argument') return source.text;
  if (source.from === 'stdin') {
    if (host.stdin === undefined && process.stdin.isTTY) {
      throw missing(
        'Standard input is a terminal',
        'standard input',
        'Pipe the message, as in `helm upgrade web ./chart 2>&1 | fieldwise explain -`.',
      );
    }
    return readBounded(host.stdin ?? process.stdin, 'standard input');
  }
  try {
    return await readBounded(createReadStream(path.resolve(host.cwd, source.path)), source.path);
  } catch (error) {
    if (error instanceof FieldwiseError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'The file does not exist' : `The file cannot be read (${code ?? 'unknown error'})`;
    throw missing(what, source.path, 'Correct the path of `--file`, or pass - for standard input.');
  }
}

async function readBounded(stream: AsyncIterable<Uint8Array>, file: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > maxMegabytes * mega) {
      throw new FieldwiseError('source-too-large', 'usage', `The text is larger than ${maxMegabytes} MB`, {
        location: { file },
        next: 'Pass only the end of it, as by `tail -n 1000`.',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function missing(what: string, file: string, next: string): FieldwiseError {
  return new FieldwiseError('input-missing', 'usage', what, { location: { file }, next });
}
