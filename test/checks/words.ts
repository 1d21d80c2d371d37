import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './command.js';
import { type Prose, proseOfMarkdown, proseOfSource } from './prose.js';

interface Rule {
  readonly refused: RegExp;
  readonly better: string;
  /** Ignores a match that is right. */
  readonly except?: (match: RegExpMatchArray, text: string) => boolean;
}

/** The worst words and phrases, by the rules of docs/glossary.md. A space in a pattern matches a line break, too. */
const rules: readonly Rule[] = [
  {
    refused: /\b(?:is|are|was|were|been|(?<!\b(?:can|cannot|could|not) )be) told\b(?! (?:apart|from)\b)/i,
    better: 'is reported; is passed',
  },
  {
    // "goes to", "goes through" and "goes on" are fine.
    refused: /\bgoes(?= (?:when|once|if|unless|last|first|too|away|only|as soon|with)\b|[.,;:)]|$)/i,
    better: 'is deleted; is removed; is released',
    // "Where the report goes: …", "as far as it goes", "anything goes"
    except: (match, text) => /(?:(?:^\s*|[.!?]\s+|\n\s*)Where(?: \w+){0,3}|as far as \w+|anything)\s+$/.test(text.slice(0, match.index)),
  },
  { refused: /\banew\b/i, better: 'again' },
  { refused: /\bof ours\b/i, better: 'our own; that Fieldwise made' },
  { refused: /(?<!\b(?:are|is|were|was|be) )\ball the same\b/i, better: 'nevertheless; anyway' },
  { refused: /\bas ever\b/i, better: 'as usual; as before' },
  { refused: /\bon this side\b/i, better: 'client-side' },
  {
    refused:
      /(?<!\b(?:there|here) )\b(?:is|are|was|were|be) no (?!(?:longer|more|less|fewer|later|earlier|greater|larger|smaller|higher|lower|older|newer|different|better|worse|other)\b)\w+/i,
    better: 'is not a …',
    except: isInverted,
  },
  {
    refused: /(?<!\b(?:there|here) )\b(?:is|are|was|were) none\b(?! of (?:its|their|the|these|those|them)\b)/i,
    better: 'is not one; does not exist',
    except: isInverted,
  },
  { refused: /\b(?:he|his|him|himself)\b/i, better: 'it, its (software); they, their (people)' },
  {
    // A sentence or comment begins with a relative clause. A question ends with a question mark.
    refused: /(?<=^|\n\s*\n|[.!?]['")*_]*\s+|^\s+|\n\s*[-*]\s+)[*_]*\b(?:What|Whether)\b[^.?!\n]*(?:\n(?!\s*\n)[^.?!\n]*)*[.?!]?/,
    better: 'begin with a noun or, in a doc comment, with a verb: "Returns true if …", "The fields that …"',
    except: (match) => match[0].endsWith('?'),
  },
  ...british(),
];

function isInverted(match: RegExpMatchArray, text: string): boolean {
  // "where there usually is no …", "Nor is no …"
  return /\b(?:there|here)(?: \w+)?\s+$/i.test(text.slice(0, match.index));
}

function british(): Rule[] {
  const pairs: readonly (readonly [string, string])[] = [
    ['(behavi|col|fav|hon|lab|neighb|harb|flav|hum|rum|endeav)our(s|ed|ing|ably|able|ite|ites|al|hood|less|ful)?', '…or'],
    [
      '\\w*(?:optim|serial|normal|initial|recogn|organ|summar|minim|maxim|custom|author|synchron|categor|central|final|general|local|material|parameter|priorit|real|special|standard|stabil|visual|canonical|emphas|capital|quant|token|random|local|util|penal|virtual|memor|harmon)is(?:e|es|ed|ing|er|ers|ation|ations|able)',
      '…ize',
    ],
    ['analys(?:e|ed|ing)', 'analyze'],
    ['(?:cancel|label|model|travel|signal|total|level|channel|marshal|tunnel|fuel)l(?:ed|ing|er)', 'one l: canceled, labeled'],
    ['(?:catalogue|dialogue)s?', 'catalog, dialog'],
    ['(?:centre|metre|fibre)s?', 'center'],
    ['fulfils?', 'fulfill'],
    ['(?:licence|defence|offence)s?', 'license, defense'],
    ['gr[e]y', 'gray'],
    ['judgements?', 'judgment'],
    ['artefacts?', 'artifact'],
    ['whilst|amongst', 'while, among'],
    ['learnt|spelt|dreamt', 'learned, spelled'],
    ['programmes?', 'program'],
  ];
  return pairs.map(([spelling, better]) => ({
    refused: new RegExp(`\\b(?:${spelling})\\b`, 'i'),
    better: `American spelling: ${better}`,
  }));
}

/** Names the refused words in comments and literals of `src` and `codegen`, in docs, README and the documents at the root. */
export function refusedWords(): string[] {
  return proseOfRepository().flatMap(refusedWordsIn);
}

/** The same of one text. */
export function refusedWordsIn({ path, line, text }: Prose): string[] {
  return rules.flatMap(({ refused, better, except }) => {
    const pattern = new RegExp(refused.source.replaceAll(' ', '\\s+'), `${refused.flags}g`);
    return [...text.matchAll(pattern)]
      .filter((match) => !(except?.(match, text) ?? false))
      .map((match) => {
        const at = line + text.slice(0, match.index).split('\n').length - 1;
        const quote = match[0].split('\n')[0]?.slice(0, 60);
        return `${path}:${at}: "${quote}" in "${lineAt(text, match.index)}"; better: ${better}`;
      });
  });
}

function lineAt(text: string, index: number): string {
  const end = text.indexOf('\n', index);
  return text.slice(text.lastIndexOf('\n', index) + 1, end < 0 ? undefined : end).trim();
}

function proseOfRepository(): Prose[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const below = (top: string, end: string) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(end))
      .map((name) => `${top}/${name}`)
      .sort();
  const sources = ['src', 'codegen'].flatMap((top) => below(top, '.ts'));
  const documents = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...below('docs', '.md')];
  return [
    ...sources.flatMap((path) => proseOfSource(path, read(path))),
    // A decision is a record of its day; its words stay.
    ...documents.filter((path) => !path.startsWith('docs/decisions/')).flatMap((path) => proseOfMarkdown(path, read(path))),
  ];
}
