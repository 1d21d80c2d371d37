/** An entry of one of the lists of a kubeconfig. */
export interface NamedEntry {
  readonly name: string;
  readonly cluster?: Members;
  readonly user?: Members;
  readonly context?: Members;
}

type Members = Readonly<Record<string, unknown>>;

/** The lists of a kubeconfig, whose members have the right types. */
export interface CheckedEntries {
  readonly clusters: readonly NamedEntry[];
  readonly users: readonly NamedEntry[];
  readonly contexts: readonly NamedEntry[];
  readonly currentContext: string;
}

type MemberType = 'text' | 'base64' | 'true or false' | 'list' | 'map';

/** The members of entries. Source: Kubernetes, client-go, types of `clientcmd/api/v1`. */
const members = {
  cluster: {
    server: 'text',
    'tls-server-name': 'text',
    'insecure-skip-tls-verify': 'true or false',
    'certificate-authority': 'text',
    'certificate-authority-data': 'base64',
    'proxy-url': 'text',
    'disable-compression': 'true or false',
    extensions: 'list',
  },
  user: {
    'client-certificate': 'text',
    'client-certificate-data': 'base64',
    'client-key': 'text',
    'client-key-data': 'base64',
    token: 'text',
    tokenFile: 'text',
    as: 'text',
    'as-uid': 'text',
    'as-groups': 'list',
    'as-user-extra': 'map',
    username: 'text',
    password: 'text',
    'auth-provider': 'map',
    exec: 'map',
  },
  context: { cluster: 'text', user: 'text', namespace: 'text' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, MemberType>>>>;

/**
 * Checks the types of what a kubeconfig contains. client-go refuses a file with a wrong one, also in an entry that nobody uses.
 *
 * @throws Error that names the member.
 */
export function checkEntries(content: Members): CheckedEntries {
  const { apiVersion, kind } = content;
  if ((apiVersion ?? 'v1') !== 'v1' || (kind ?? 'Config') !== 'Config') {
    throw new Error(`it is a ${kind ?? 'Config'} of ${apiVersion ?? 'v1'}, and not a Config of v1`);
  }
  const current = content['current-context'] ?? '';
  requireType('current-context', current, 'text');
  return {
    clusters: entriesOf(content, 'cluster'),
    users: entriesOf(content, 'user'),
    contexts: entriesOf(content, 'context'),
    currentContext: current as string,
  };
}

function entriesOf(content: Members, kind: keyof typeof members): NamedEntry[] {
  const list = `${kind}s`;
  const entries = content[list] ?? [];
  if (!Array.isArray(entries)) throw new Error(`its ${list} are not a list`);
  const names = new Set<string>();
  return entries.map((entry: Members | null, index) => {
    const { name = '', [kind]: part } = entry ?? {};
    const where = `${list}[${index}]`;
    requireType(`${where}.name`, name, 'text');
    if (names.has(name as string)) throw new Error(`two of its ${list} have the name ${name}`);
    names.add(name as string);
    if (part !== undefined && part !== null) requireType(`${where}.${kind}`, part, 'map');
    for (const [member, type] of Object.entries(members[kind])) {
      const value = (part as Members | undefined | null)?.[member];
      if (value !== undefined && value !== null) requireType(`${where}.${kind}.${member}`, value, type);
    }
    return { ...entry, name: name as string } as NamedEntry;
  });
}

const requirements: Readonly<Record<MemberType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  base64: (value) => typeof value === 'string' && isBase64(value.replace(/[\r\n]/g, '')),
  // Words of YAML 1.1, which Go reads.
  'true or false': (value) => typeof value === 'boolean' || /^(?:yes|no|on|off|y|n)$/i.test(String(value)),
  list: (value) => Array.isArray(value),
  map: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function requireType(where: string, value: unknown, type: MemberType): void {
  if (requirements[type](value)) return;
  const found = Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value === 'object' ? 'a map' : `a ${typeof value}`;
  // The value may be a credential.
  const quotes = type === 'text' && typeof value !== 'object' ? ': put it in quotes' : '';
  throw new Error(
    type === 'base64'
      ? `${where} is not base64`
      : `${where} is ${found}, and not ${type === 'true or false' ? type : `a ${type}`}${quotes}`,
  );
}
