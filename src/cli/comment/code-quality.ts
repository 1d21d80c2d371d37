import { createHash } from 'node:crypto';
import type { SourceFinding } from './read-sarif.js';

/** Formats findings as GitLab reads them. Source: GitLab, "Code Quality report format". */
export function codeQuality(findings: readonly SourceFinding[]): string {
  const entries = findings.flatMap(({ level, rule, text, file, line = 1 }) =>
    file === undefined
      ? []
      : [
          {
            description: text,
            check_name: rule,
            fingerprint: createHash('sha256')
              .update(JSON.stringify([rule, text, file]))
              .digest('hex'),
            severity: { error: 'blocker', warning: 'major', note: 'info' }[level],
            location: { path: file, lines: { begin: line } },
          },
        ],
  );
  return `${JSON.stringify(entries, undefined, 2)}\n`;
}
