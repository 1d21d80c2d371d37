import { X509Certificate } from 'node:crypto';

/** A block of a PEM text. Source: RFC 7468. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  /** The content as base64. */
  readonly content: string;
}

/** Returns the blocks of a PEM text, whatever is around them. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let type: string | undefined;
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    const [, edge, name] = /^-----(BEGIN|END) (.*)-----\s*$/.exec(line) ?? [];
    if (edge === 'BEGIN') [type, lines] = [name, []];
    else if (edge === 'END' && name === type && type !== undefined) {
      const content = lines.filter((each) => !each.includes(':')).join('');
      blocks.push({ type, hasHeaders: lines.some((each) => each.includes(':')), content });
      type = undefined;
    } else lines.push(line);
  }
  return blocks;
}

/** Returns why a PEM text is not a chain of certificates. Source: messages as observed. */
export function certificateProblem(text: string): string | undefined {
  const blocks = pemBlocks(text);
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const { type, hasHeaders, content } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (!isCertificate(content)) return 'x509: malformed certificate';
  }
  return undefined;
}

/**
 * Returns why a bundle of certificate authorities is not valid; undefined if one of its certificates is. Source: messages as observed.
 */
export function authorityProblem(text: string): string | undefined {
  const blocks = pemBlocks(text).filter(({ content }) => /^[\w+/]*={0,2}$/.test(content));
  const certificates = blocks.filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders);
  if (certificates.some(({ content }) => isCertificate(content))) return undefined;
  if (certificates.length > 0) return 'failed to parse certificate: x509: malformed certificate';
  const lastLine = text.split('\n').findLast((line, index, lines) => line !== '' || index < lines.length - 1) ?? '';
  return blocks.length > 0 && lastLine.startsWith('-----END ')
    ? 'no valid certificate authority data seen'
    : 'unable to parse bytes as PEM block';
}

function isCertificate(content: string): boolean {
  try {
    return new X509Certificate(Buffer.from(content, 'base64')).raw.length > 0;
  } catch {
    return false;
  }
}
