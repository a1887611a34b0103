import type { Caller } from "../../../../sdks/node/src/index.ts";
import type { Command, Context } from "../command.ts";
import { CommandError, UsageError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import { clientOf, DEFAULT_BASE_URL, forgetAccount, keepAccount, variable } from "../settings.ts";
import { visible } from "../text.ts";

const login: Command = {
  name: "login",
  usage: "",
  summary: "Save an API key for this user",
  description:
    "The key is read from JUNCTION_API_KEY, from standard input, or from a hidden prompt. It is tested, then saved in junction/config.json under XDG_CONFIG_HOME, where only you can read it.",
  options: {
    "base-url": {
      type: "string",
      value: "<url>",
      about: "The service. Default: JUNCTION_BASE_URL, or the service on this machine.",
    },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    const { io, print } = context;
    const baseUrl = context.text("base-url") ?? variable(io, "JUNCTION_BASE_URL") ?? DEFAULT_BASE_URL;
    const apiKey = await readKey(context);
    io.hide(apiKey);
    const caller = await clientOf({ apiKey, baseUrl }).me.get();
    const file = await keepAccount(io, { apiKey, baseUrl });
    print.line(
      { object: "login", file, base_url: baseUrl, ...whoOf(caller) },
      `${sentence(caller)}\nThe key is saved in ${file}.`,
    );
  },
};

const logout: Command = {
  name: "logout",
  usage: "",
  summary: "Delete the saved key",
  description: "The key stays valid. To revoke it, use `junction keys revoke <id>`.",
  words: { least: 0, most: 0 },
  async run({ io, print }) {
    const forgotten = await forgetAccount(io);
    print.line({ object: "logout", forgotten }, forgotten ? "The saved key was deleted." : "No key is saved.");
  },
};

const whoami: Command = {
  name: "whoami",
  usage: "",
  summary: "Show the current key's owner and permissions",
  words: { least: 0, most: 0 },
  async run(context) {
    const caller = await (await context.junction()).me.get();
    if (context.print.isJson) return context.print.one(caller);
    const { baseUrl, from } = await context.account();
    context.print.one({ ...whoOf(caller), base_url: baseUrl, key_from: from });
  },
};

export const accountCommands: readonly Command[] = [login, logout, whoami];

async function readKey({ io }: Context): Promise<string> {
  const known = variable(io, "JUNCTION_API_KEY");
  if (known !== undefined) return known;
  const key = io.canAsk ? await io.ask("API key (not shown): ", { hidden: true }) : (await io.input()).trim();
  if (key === "")
    throw new UsageError("The key is missing. Pipe it in (`junction login < key.txt`), or set JUNCTION_API_KEY.");
  if (!/^jn_(?:live|test)_[0-9A-Za-z]{49}$/.test(key))
    throw new CommandError(
      "This is not an API key (its value is not shown). API keys start with jn_live_ or jn_test_.",
      EXIT.data,
    );
  return key;
}

function whoOf(caller: Caller): Record<string, unknown> {
  const { key, workspace, environment, role, actor_type: actorType } = caller;
  return {
    workspace: workspace.name,
    workspace_id: workspace.id,
    environment,
    role,
    actor_type: actorType,
    key_id: key?.id ?? null,
    key_name: key?.name ?? null,
    permission_mode: key?.permission_mode ?? null,
  };
}

function sentence({ workspace, environment, role }: Caller): string {
  return `Signed in to ${visible(workspace.name)} (${environment}) as ${role}.`;
}
