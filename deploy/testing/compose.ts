/** Reads compose.yaml as `docker compose` does where no variable is set. */
import { readFile } from "node:fs/promises";
import { parse } from "yaml";

export interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly cap_drop?: readonly string[];
  readonly read_only?: boolean;
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly secrets?: unknown;
}

/** Throws for a variable that has no default, because nothing can be prepared. */
export async function readCompose(file: string): Promise<Compose> {
  const text = (await readFile(file, "utf8")).replaceAll(/\$\{(\w+)([^}]*)\}/g, (whole, _name, rest: string) => {
    if (!rest.startsWith(":-")) throw new Error(`${whole} has no default`);
    return rest.slice(2);
  });
  return parse(text, { merge: true }) as Compose;
}

/** The services in the order in which they are started. */
export function startOrder({ services }: Compose): string[] {
  const order: string[] = [];
  const visit = (name: string): void => {
    for (const needed of Object.keys(services[name]?.depends_on ?? {})) visit(needed);
    if (!order.includes(name)) order.push(name);
  };
  for (const name of Object.keys(services)) visit(name);
  return order;
}
