import { CommandError } from "../../../../../packages/command-line/src/command-line.ts";
import { outcomeOf, printed } from "./command.ts";
import type { Command, InstallationServices } from "./command.ts";
import { NAME_FORM, optionalText, textOption } from "./usage.ts";
import type { Form, ReadCommand } from "./usage.ts";

const EMAIL: Form = { pattern: /^[^@\s]{1,100}@[^@\s]{1,150}$/, what: "an email address" };
const WORKSPACE: Form = { pattern: /^ws_[0-9A-Za-z_]{1,60}$/, what: "the id of a workspace" };

export const workspaceCreate: ReadCommand = (given) => {
  const [workspace, email] = [textOption(given, "name", NAME_FORM), textOption(given, "owner-email", EMAIL)];
  return onPeople(async (people) => await people.found(workspace, email));
};

export const workspaceSandboxKey: ReadCommand = (given) => {
  const name = optionalText(given, "name", NAME_FORM) ?? "Operator's sandbox key";
  return { on: "installation", run: async ({ workspaces }) => outcomeOf(await sandboxKey(workspaces, name)) };
};

export const workspaceAllowPasswords: ReadCommand = (given) => {
  const id = textOption(given, "workspace", WORKSPACE);
  return onPeople(async ({ current }) => await current.allowPasswords(id));
};

export const memberResetLink: ReadCommand = (given) => {
  const [email, clearsTotp] = [textOption(given, "email", EMAIL), given.has("clear-totp")];
  return onPeople(async (people) => await people.resetLink(email, clearsTotp));
};

export const memberUnlink: ReadCommand = (given) => {
  const email = textOption(given, "email", EMAIL);
  return onPeople(async (people) => await people.unlink(email));
};

function onPeople(work: (people: InstallationServices["people"]) => Promise<object>): Command {
  return { on: "installation", run: async ({ people }) => await printed(async () => await work(people)) };
}

async function sandboxKey(workspaces: InstallationServices["workspaces"], name: string): Promise<object> {
  const made = await workspaces.operatorsSandboxKey(name);
  if (made === undefined) throw new CommandError("There is no workspace yet. Start the service once.");
  return made;
}
