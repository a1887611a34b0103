import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "../command.ts";
import { passOn } from "../operator.ts";

/** Connectors' authors and the installation's keys: commands of the service, which has what they need. */
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
    // The installation's data folder may be given relative to where it runs; files are given relative to here.
    const isInstallations = words[0] === "trust";
    const args = isInstallations ? words.map((word) => (existsSync(word) ? resolve(word) : word)) : words;
    return await passOn(context, ["connector", ...args], isInstallations ? "service" : "here");
  },
};
