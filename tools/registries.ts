import { setTimeout as sleep } from "node:timers/promises";
import type { PackageName } from "./package-names.ts";

/** A registry's URL for a name, and the owners of the name in its response. */
interface Registry {
  readonly address: (name: string) => string;
  readonly ownersOf: (answer: Owned) => readonly (string | undefined)[];
}

/** Parts of the registries' answers. */
interface Owned {
  readonly maintainers?: readonly { readonly name?: string }[];
  readonly ownership?: { readonly roles?: readonly { readonly user?: string }[] };
  readonly package?: Pick<Owned, "maintainers">;
}

const REGISTRIES: Readonly<Record<PackageName["registry"], Registry>> = {
  npm: {
    address: (name) => `https://registry.npmjs.org/${encodeURIComponent(name)}`,
    ownersOf: ({ maintainers = [] }) => maintainers.map(({ name }) => name),
  },
  PyPI: {
    address: (name) => `https://pypi.org/pypi/${name}/json`,
    ownersOf: ({ ownership }) => ownership?.roles?.map(({ user }) => user) ?? [],
  },
  Packagist: {
    address: (name) => `https://packagist.org/packages/${name}.json`,
    ownersOf: (answer) => answer.package?.maintainers?.map(({ name }) => name) ?? [],
  },
};

const TRIES = 3;
const PAUSE_MS = 2000;
const TIMEOUT_MS = 15_000;

/** The fault of a package's name; undefined: the name is as recorded. Throws when the registry cannot be reached. */
export async function nameFault({ registry, name, owner }: PackageName): Promise<string | undefined> {
  const { address, ownersOf } = REGISTRIES[registry];
  const answer = await ask(address(name));
  if (answer === undefined)
    return owner === undefined
      ? undefined
      : `${name} is not on ${registry}, although ${owner} is recorded as its owner`;
  if (owner !== undefined && ownersOf(answer).includes(owner)) return undefined;
  const owners = ownersOf(answer).join(", ") || "unknown";
  return `${name} is registered on ${registry} by others (owners: ${owners}): choose another name in tools/package-names.ts`;
}

/** The registry's answer about a name; undefined where the name is not registered. */
async function ask(url: string): Promise<Owned | undefined> {
  for (let tried = 1; ; tried += 1) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.status === 404) return undefined;
      if (response.ok) return (await response.json()) as Owned;
      throw new Error(`HTTP ${response.status}`);
    } catch (error) {
      if (tried === TRIES) throw new Error(`${url} cannot be reached`, { cause: error });
      await sleep(PAUSE_MS);
    }
  }
}
