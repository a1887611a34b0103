import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "../command.ts";
import { passOn } from "../operator.ts";

/**
 * Commands for connector authors and for the installation's keys. The service runs them, because it has the required
 * code.
 */
export const connectorCommand: Command = {
  name: "connector",
  usage: "<create | test | dev | keygen | sign | verify | pack | trust> …",
  summary: "Develop connectors, and manage trusted signing keys",
  description:
    "This command is passed on to the service that is installed with this command line. For its usage, see docs/guide/connectors.md. To manage installed connectors, use `junction connectors`.",
  words: { least: 1, most: Infinity },
  passesOn: true,
  async run(context) {
    const { words } = context;
    // The installation's data folder may be relative to the service's folder; files are relative to the current one.
    const isInstallations = words[0] === "trust";
    const args = isInstallations ? words.map((word) => (existsSync(word) ? resolve(word) : word)) : words;
    return await passOn(context, ["connector", ...args], isInstallations ? "service" : "here");
  },
};
