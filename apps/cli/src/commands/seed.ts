import type { Command } from "../command.ts";
import { clearDemo, seedDemo } from "../demo/demo.ts";
import { createBar } from "../progress.ts";
import { agree } from "../resources.ts";

const seed: Command = {
  name: "seed",
  usage: "",
  summary: "Fill an environment with things to look at",
  description:
    "By the API alone: endpoints that succeed, fail twice, always fail and are slow; an inbound source with receipts and contacts; a rule; actions whose proposals wait for a person. Once more replaces them. What is yours is left alone.",
  options: {
    clear: { type: "boolean", about: "Take all of it away again. Logs stay." },
    yes: { type: "boolean", short: "y", about: "Do not ask before the live environment is used." },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    const { io, print } = context;
    const junction = await context.junction();
    if (context.has("clear")) return print.one(await clearDemo(junction));
    const { environment, workspace } = await junction.me.get();
    if (environment === "live" && !context.has("yes"))
      await agree(io, `This key is of the live environment of ${workspace.name}. Fill it?`);
    const bar = createBar(io);
    try {
      print.one(await seedDemo(junction, bar.at));
    } finally {
      bar.end();
    }
  },
};

export const seedCommands: readonly Command[] = [seed];
