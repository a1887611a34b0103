import type { Command } from "../command.ts";
import { passOn } from "../operator.ts";

/** Commands for the operator about workspaces and people. The service runs them, because they need no key. */
export const peopleCommands: readonly Command[] = [
  ofService(
    "workspace",
    "<create | sandbox-key | allow-passwords> …",
    "Create a workspace, or open one again, on the service's machine",
    "workspaces",
  ),
  ofService("member", "<reset-link | unlink> …", "Let a person sign in again, on the service's machine", "members"),
];

function ofService(name: string, usage: string, summary: string, resource: string): Command {
  return {
    name,
    usage,
    summary,
    description: `This command is passed on to the service that is installed with this command line, and needs no key. For its usage, see docs/guide/cli.md. With a key, use \`junction ${resource}\`.`,
    words: { least: 1, most: Infinity },
    passesOn: true,
    run: async (context) => await passOn(context, [name, ...context.words], "service"),
  };
}
