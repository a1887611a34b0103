import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "../command.ts";
import { passOn } from "../operator.ts";

/** Connectors' authors and the installation's keys: commands of the service, which has what they need. */
export const connectorCommand: Command = {
  name: "connector",
  usage: "<create | test | dev | keygen | sign | verify | pack | trust> …",
  summary: "Write connectors, and say whose signatures count",
  description:
    "Passed on to the service beside this command line, whose usage says more: docs/guide/connectors.md. What is done with connectors that are there, `junction connectors` does.",
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
