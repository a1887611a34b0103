import type { Command } from "../command.ts";
import { clearDemo, seedDemo } from "../demo/demo.ts";
import { withBar } from "../progress.ts";
import { agree } from "../resources.ts";

const seed: Command = {
  name: "seed",
  usage: "",
  summary: "Fill an environment with demo data",
  description:
    "Uses only the API to create endpoints that succeed, fail twice, always fail, are slow, keep an order and are pulled. Two of them are of customers of yours (`junction portal demo-acme` shows their portal). Also an inbound source with receipts and contacts; a rule; and actions with pending proposals. In the live environment also an event type with two versions. A second run replaces them. Your own data is not changed.",
  options: {
    clear: { type: "boolean", about: "Delete the demo data. Logs are kept." },
    yes: { type: "boolean", short: "y", about: "Do not ask for confirmation before the live environment is used." },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    const { io, print } = context;
    const junction = await context.junction();
    if (context.has("clear")) return print.one(await clearDemo(junction));
    const { environment, workspace } = await junction.me.get();
    if (environment === "live" && !context.has("yes"))
      await agree(io, `This key belongs to the live environment of ${workspace.name}. Add demo data there?`);
    print.one(await withBar(io, async (bar) => await seedDemo(junction, bar.at)));
  },
};

export const seedCommands: readonly Command[] = [seed];
