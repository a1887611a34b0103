import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installedPackages } from "../npm-install.ts";

/** Programs for MCP. Their hundred packages each are not dependencies of the repository, because only tests need them. */
export interface Programs {
  /** Their folder, for a PATH. */
  readonly bin: string;
}

/** The official MCP inspector. */
export const inspector = async (): Promise<Programs | undefined> => await programs("inspector");
/** The protocol's own conformance suite. */
export const conformance = async (): Promise<Programs | undefined> => await programs("conformance");

async function programs(name: string): Promise<Programs | undefined> {
  const home = await installedPackages(`mcp-${name}`, fileURLToPath(new URL(`${name}/`, import.meta.url)));
  return home === undefined ? undefined : { bin: join(home, "node_modules", ".bin") };
}
