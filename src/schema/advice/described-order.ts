/** Phrases of a description that give the order of items a meaning. `in order to` and `does not matter` are not among them. */
const order = [
  /\b(?:order|ordering|sequence|position)(?: of [\w ]{1,60}| in the list)? (?:matters|is (?:important|significant|relevant|preserved|respected))\b/,
  /\b(?:ordered|sorted|prioriti[sz]ed|sequential|sequenced) (?:list|array|set|sequence|collection|group)\b/,
  /\b(?:list|array|sequence)s? (?:is|are) (?:ordered|sorted|prioriti[sz]ed)\b/,
  /\bin (?:the|their|its|this|that|list|array|declared|listed|given|specified) (?:(?:same|exact|specified|given|listed|declared|defined|configured) )?(?:order|sequence)\b/,
  /\b(?:applied|attempted|called|chained|checked|evaluated|executed|expanded|invoked|performed|processed|run|tried|used) (?:in|by) (?:order|sequence|turn)\b(?! to\b)/,
  /\b(?:one by one|one after (?:the other|another)|sequentially|top to bottom|first to last)\b/,
  /\b(?:first|last|earlier|later|previous|preceding|subsequent) (?:match|matching|items?|entry|entries|elements?|ones?) (?:\w+ )?(?:wins?|takes?|overrides?|has|have|applies|apply|is used|is selected)\b/,
];

/** Phrases by which an item may occur twice. */
const repetition = /\b(?:repeated|appear|occur|specified|listed|used|referenced) (?:more than once|multiple times|several times|twice)\b/;

/** Returns the reason why the order or the repetition of items carries meaning, as descriptions say it; undefined if they say nothing of it. */
export function describedOrder(list: string, descriptions: readonly (string | undefined)[]): string | undefined {
  const text = descriptions.join('. ').toLowerCase().replace(/\s+/g, ' ');
  const phrase = order.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined);
  if (phrase !== undefined) return `the description of ${list} says that the order counts ("${phrase}")`;
  const repeated = repetition.exec(text)?.[0];
  return repeated === undefined ? undefined : `the description of ${list} says that an item may occur twice ("${repeated}")`;
}
