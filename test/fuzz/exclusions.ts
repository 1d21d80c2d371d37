/** Content that the generator omits, with the reason. Printed at the start of each run. */
export const exclusions: readonly (readonly [what: string, why: string])[] = [
  ['JSON patches of the addresses, address families and node ports of Services', 'what fits there is a matter of allocation'],
  [
    'what refusals of updates of a Pod, of its ephemeral containers and of the template of a Job print of the change',
    'it is the Go struct inside the server, line by line',
  ],
  ['built-in kinds and fields that are not in test/fuzz/built-in.yaml', 'their defaults and validation are code in the server, not schema'],
  ['broken values in bodies of built-in kinds, and moving values about in them', 'as above; both are tried on custom kinds'],
  [
    'in refusals: the order of supported values and of several reasons in one message, and how missing labels, a missing nodeSelector and missing rules of an Ingress are shown',
    'the order is unspecified, and an empty value is {}, [] or null depending on how it was decoded',
  ],
  [
    'directives of strategic merge patches in labels and the like that are replaced as a whole; $setElementOrder of objects without a key',
    'there they are plain keys, and the words about odd label names are code in the server; it drops the connection',
  ],
  ['CustomResourceDefinitions themselves, and list types that change between requests', 'npm run campaign -- fuzz:definitions has them'],
  ['the status of Jobs', 'its validation follows what the controller of Jobs may write'],
  ['propagationPolicy', 'the test server runs no controllers: nothing finishes what the answer begins'],
  [
    'the words of refusals that name Go types (what cannot be decoded) or quote a body of no kind',
    'they tell the inside of the server; code, reason and effect are compared',
  ],
];
