type Args = Record<string, unknown>;
type Maker = () => unknown;

const isMaker = (value: unknown): value is Maker => typeof value === "function";

/** Makes the arguments that are functions. */
export function resolved(given: Args): Args {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, isMaker(value) ? value() : value]));
}

/** Makes again what was made for these arguments, unless the test has put something else in its place. */
export function refreshed(body: Args, { given, args }: { readonly given: Args; readonly args: Args }): Args {
  const made = Object.entries(given).filter(([name, value]) => isMaker(value) && body[name] === args[name]);
  return { ...body, ...resolved(Object.fromEntries(made)) };
}
