import { UsageError } from "../../../../packages/command-line/src/command-line.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { exportEverything } from "../exports/everything.ts";
import { createReader } from "../exports/reader.ts";
import { verifyExport } from "../exports/verify.ts";
import { withBar } from "../progress.ts";
import { visible } from "../text.ts";

const exporting: Command = {
  name: "export everything",
  usage: "",
  summary: "Write all data of an environment into files",
  description:
    "Events, deliveries with their attempts, contacts with their timelines, inbound requests, tickets, runs, the audit log, and the configuration, as compressed JSON lines, with a manifest. Everything that was accepted before the start is in it, of what the key may read. Keeps to the key's rate limits. An interrupted export continues when the same command runs again. Without secrets.",
  options: {
    to: { type: "string", value: "<folder>", about: "A folder that is new or empty, or has an interrupted export." },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    const { io, print } = context;
    const folder = context.text("to");
    if (folder === undefined || folder === "") throw new UsageError("Name the folder: --to ./junction-export");
    const reader = await createReader(context);
    const manifest = await withBar(io, async (bar) => await exportEverything({ io, reader, folder, bar }));
    if (print.isJson) return print.one(manifest);
    const { files, refused } = manifest;
    for (const { kind, code } of refused) print.say(visible(`not exported: ${kind} (${code})`));
    const records = files.reduce((sum, one) => sum + one.records, 0);
    print.say(`${records} objects in ${files.length} files. To check them, run \`junction export verify ${folder}\`.`);
  },
};

const verifying: Command = {
  name: "export verify",
  usage: "<folder>",
  summary: "Check the files of an export",
  description:
    "Compares all files with the manifest, and checks that the chain of the audit log is whole. Needs no key and no service. Ends with 1 if something is wrong.",
  words: { least: 1, most: 1 },
  async run({ words, print }) {
    const [folder = ""] = words;
    const report = await verifyExport(folder);
    for (const { file, fault } of print.isJson ? [] : report.faults) print.say(visible(`${file}: ${fault}`));
    const { ok, files, records, audit_rows: rows } = report;
    const audit = rows === null ? "without the audit log" : `${rows} entries of the audit log`;
    print.line(report, `${ok ? "Whole" : "Not whole"}: ${records} objects in ${files} files, ${audit}.`);
    return ok ? EXIT.done : EXIT.refused;
  },
};

/** Commands that export all data of an environment. */
export const exportCommands: readonly Command[] = [exporting, verifying];
