/** How much is kept: the number of results, and the size of their texts in UTF-16 units. What would exceed it empties the cache. */
export interface RememberedLimits {
  readonly results?: number;
  readonly units?: number;
}

/** Returns `make` with a cache. `make` must depend only on the text, so that no kept result is stale. An error is not kept. */
export function rememberByText<T>(
  make: (text: string) => T,
  { results = Infinity, units = Infinity }: RememberedLimits,
): (text: string) => T {
  const kept = new Map<string, { readonly made: T }>();
  let held = 0;
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known.made;
    const made = make(text);
    if (kept.size >= results || held + text.length > units) {
      kept.clear();
      held = 0;
    }
    kept.set(text, { made });
    held += text.length;
    return made;
  };
}
