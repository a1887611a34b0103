import { CommandError } from "../../../../../packages/command-line/src/command-line.ts";
import { outcomeOf, printed } from "./command.ts";
import type { InstallationServices } from "./command.ts";
import { NAME_FORM, optionalText, textOption } from "./usage.ts";
import type { CommandForm, Form } from "./usage.ts";

const EMAIL: Form = { pattern: /^[^@\s]{1,100}@[^@\s]{1,150}$/, what: "an email address" };
const WORKSPACE: Form = { pattern: /^ws_[0-9A-Za-z_]{1,60}$/, what: "the id of a workspace" };

/** The commands for workspaces and the people in them. */
export const peopleCommands: readonly CommandForm[] = [
  {
    name: "workspace create",
    usage: ["--name <name> --owner-email <email>"],
    runs: "always",
    read(given) {
      const [workspace, email] = [textOption(given, "name", NAME_FORM), textOption(given, "owner-email", EMAIL)];
      return {
        on: "installation",
        run: async ({ people }) => await printed(async () => await people.found(workspace, email)),
      };
    },
  },
  {
    name: "workspace sandbox-key",
    usage: ["[--name <name>]"],
    runs: "always",
    read(given) {
      const name = optionalText(given, "name", NAME_FORM) ?? "Operator's sandbox key";
      return { on: "installation", run: async ({ workspaces }) => outcomeOf(await sandboxKey(workspaces, name)) };
    },
  },
  {
    name: "workspace allow-passwords",
    usage: ["--workspace <id>"],
    runs: "always",
    read(given) {
      const id = textOption(given, "workspace", WORKSPACE);
      return {
        on: "installation",
        run: async ({ people }) => await printed(async () => await people.current.allowPasswords(id)),
      };
    },
  },
  {
    name: "member reset-link",
    usage: ["--email <email> [--clear-totp]"],
    runs: "always",
    read(given) {
      const [email, clearsTotp] = [textOption(given, "email", EMAIL), given.has("clear-totp")];
      return {
        on: "installation",
        run: async ({ people }) => await printed(async () => await people.resetLink(email, clearsTotp)),
      };
    },
  },
  {
    name: "member unlink",
    usage: ["--email <email>"],
    runs: "always",
    read(given) {
      const email = textOption(given, "email", EMAIL);
      return {
        on: "installation",
        run: async ({ people }) => await printed(async () => await people.unlink(email)),
      };
    },
  },
];

async function sandboxKey(workspaces: InstallationServices["workspaces"], name: string): Promise<object> {
  const made = await workspaces.operatorsSandboxKey(name);
  if (made === undefined) throw new CommandError("There is no workspace yet. Start the service once.");
  return made;
}
