import type { MessageTool, NamedObject } from './conflict-text.js';

/** The tool and the object that the text around a message of the server names. */
export interface Surroundings {
  readonly tool: MessageTool;
  readonly object?: NamedObject;
}

interface Sign {
  readonly tool: MessageTool;
  /** Looked for before the message. */
  readonly before?: RegExp;
  /** Looked for after the message. */
  readonly after?: RegExp;
  /** Names the object, before the message. */
  readonly objects?: readonly RegExp[];
}

/** In the order of precedence: several tools pass on what another one wrote. */
const signs: readonly Sign[] = [
  {
    tool: 'helm-4',
    before: /conflict occurred while applying object/,
    objects: [
      /conflict occurred while applying object (?<namespace>[\w.:-]{1,253})?\/(?<name>[\w.:-]{1,253}) (?<apiVersion>[\w./-]{1,300}), Kind=(?<kind>\w{1,100})/g,
    ],
  },
  {
    tool: 'flux',
    before: /dry-run failed/,
    objects: [/(?:^|[\s"(])(?<kind>[A-Z]\w{0,100})\/(?:(?<namespace>[a-z0-9.:-]{1,253})\/)?(?<name>[\w.:-]{1,253}) dry-run failed/g],
  },
  {
    tool: 'pulumi',
    before: /Server-Side Apply field conflict detected|pulumi:providers|kubernetes:[\w./-]{1,300}:\w{1,100} \(/,
    objects: [
      /kubernetes:(?<apiVersion>[\w./-]{1,300}):(?<kind>\w{1,100}) \(/g,
      /resource "?(?:(?<namespace>[\w.:-]{1,253})\/)?(?<name>[\w.:-]{1,253})"? was not successfully/g,
    ],
  },
  {
    tool: 'terraform',
    before: /[Ff]ield manager conflict|on \S{1,300}\.tf line \d/,
    after: /^.{0,400}?force_conflicts/s,
    objects: [/manifest for "(?:(?<namespace>[\w.:-]{1,253})\/)?(?<name>[\w.:-]{1,253})"/g],
  },
  {
    tool: 'crossplane',
    before: /compose resources|composed resource|Cannot(?:Create|Update|Observe)ExternalResource/,
  },
  {
    tool: 'argo-cd',
    before: /one or more objects failed to apply|ComparisonError|SyncFailed/,
    objects: [
      /^\S{1,40}[ \t]{1,80}(?:[\w.-]{1,253}[ \t]{1,80})?(?<kind>[A-Z]\w{1,100})[ \t]{1,80}(?<namespace>[\w.:-]{1,253})[ \t]{1,80}(?<name>[\w.:-]{1,253})[ \t]{1,80}(?:OutOfSync|Synced|SyncFailed)/gm,
    ],
  },
  {
    tool: 'kubectl',
    before: /(?:^|\n)(?:error: |Error from server \(Conflict\): )[^\n]{0,200}$/,
    after: /^.{0,400}?Please review the fields above/s,
    objects: [/Object \((?<apiVersion>[\w./-]{1,300}), Kind=(?<kind>\w{1,100}): (?<name>[\w.:-]{1,253})\)/g],
  },
];

/** Returns which tool printed a message, and the object that it names. Pulumi and Argo CD name it in two places; the last one counts. */
export function recognizeTool(before: string, after: string): Surroundings {
  const sign = signs.find((candidate) => candidate.before?.test(before) || candidate.after?.test(after));
  if (sign === undefined) return { tool: 'unknown' };
  const parts = (sign.objects ?? []).map((pattern) => [...before.matchAll(pattern)].at(-1)?.groups ?? {});
  const { name: found, ...rest } = Object.assign({}, ...parts.map(withoutAbsent)) as Partial<NamedObject>;
  return found === undefined ? { tool: sign.tool } : { tool: sign.tool, object: { ...rest, name: found } };
}

function withoutAbsent(groups: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
