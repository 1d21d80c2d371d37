/** An element of XML, as far as tests look at it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#9': '\t', '#10': '\n' };

/** Parses XML with the strictness that its readers have: proper nesting, escaped texts, and characters that XML 1.0 permits. */
export function parseXml(document: string): XmlElement {
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(document)) throw new Error('a character that XML forbids');
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!document.startsWith(head)) throw new Error('no declaration');
  const open: { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string }[] = [
    { name: '', attributes: {}, children: [], text: '' },
  ];
  const token = /<(\/?)([A-Za-z-]+)((?: [A-Za-z]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
  token.lastIndex = head.length;
  let end = head.length;
  for (let found = token.exec(document); found; found = token.exec(document)) {
    end = token.lastIndex;
    const [, closes, name = '', attributes = '', isEmpty, text] = found;
    const top = open.at(-1)!;
    if (text !== undefined) top.text += unescaped(text);
    else if (closes) {
      if (top.name !== name) throw new Error(`</${name}> closes <${top.name}>`);
      open.pop();
    } else {
      const element = { name, attributes: attributesOf(attributes), children: [], text: '' };
      top.children.push(element);
      if (!isEmpty) open.push(element);
    }
  }
  if (end !== document.length || open.length !== 1) throw new Error(`not well-formed at ${end}: ${document.slice(end, end + 50)}`);
  return open[0]!.children[0]!;
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/ ([A-Za-z]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  return text.replaceAll(/&([^;]*;)?/g, (_, name = '') => {
    const character = entities[name.slice(0, -1)];
    if (character === undefined) throw new Error(`an entity that nobody knows: &${name}`);
    return character;
  });
}
