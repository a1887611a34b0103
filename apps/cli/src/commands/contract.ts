import type { Command } from "../command.ts";
import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import { askPublic, objectOf } from "../public.ts";
import { readBaseUrl } from "../settings.ts";

const openapi: Command = {
  name: "openapi",
  usage: "",
  summary: "Print the service's OpenAPI document",
  description: "This command does not need a key.",
  words: { least: 0, most: 0 },
  async run({ io }) {
    const baseUrl = await readBaseUrl(io);
    const answer = await askPublic(baseUrl, "/openapi.json");
    if (answer.status !== 200 || objectOf(answer)?.["openapi"] === undefined)
      throw new CommandError(
        `${baseUrl}/openapi.json responded with ${answer.status} and without a document.`,
        EXIT.unavailable,
      );
    io.out(answer.text.endsWith("\n") ? answer.text : `${answer.text}\n`);
  },
};

export const contractCommands: readonly Command[] = [openapi];
