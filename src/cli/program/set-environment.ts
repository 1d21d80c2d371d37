/** Sets environment variables of this process, and returns a function that restores them. */
export function setEnvironment(environment: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const [name, value] of Object.entries(environment)) set(name, value);
  return () => {
    for (const [name, value] of before) set(name, value);
  };
}
