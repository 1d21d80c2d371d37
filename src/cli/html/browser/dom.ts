type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Makes an element. Texts become text nodes, never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(attribute, '');
    else if (value !== undefined && value !== false) made.setAttribute(attribute, String(value));
  }
  made.append(...children);
  return made;
}

/** Returns the data of the page. */
export function pageData<Data>(): Data {
  return JSON.parse(document.getElementById('data')?.textContent ?? '{}') as Data;
}

/** Calls back after the reader has paused, and at most once per pause. */
export function whenCalm(work: () => void, milliseconds = 120): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
}
