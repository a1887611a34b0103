import type { Command, Context } from "../command.ts";
import { CommandError, UsageError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import { operate } from "../operator.ts";
import { askPublic, objectOf } from "../public.ts";
import { keepAccount, readBaseUrl, variable } from "../settings.ts";

const PASSWORD = "JUNCTION_OWNER_PASSWORD";

const setup: Command = {
  name: "setup",
  usage: "",
  summary: "Claim a new installation by creating its owner",
  description: `Works once, with the link that the first start printed, or without a link on the service's machine. The command prompts for missing values. The password is read from ${PASSWORD} or standard input, and is never an argument.`,
  options: {
    token: { type: "string", value: "<token>", about: "The token from the link, or the complete link." },
    email: { type: "string", value: "<email>", about: "The owner's email address." },
    name: { type: "string", value: "<name>", about: "The owner's name." },
    link: { type: "boolean", about: "Only create a new link for a browser, on the service's machine." },
    login: { type: "boolean", about: "Save the owner's key, like `junction login`." },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    if (context.has("link")) return await printLink(context);
    const { baseUrl, token } = await linkOf(context);
    const email = await given(context, "email", "Email: ");
    const name = await given(context, "name", "Name: ");
    const password = await readPassword(context);
    const answer = await askPublic(baseUrl, "/v1/auth/setup", { body: { token, email, name, password } });
    const claimed = objectOf(answer);
    const key = claimed?.["api_key"];
    if (answer.status !== 201 || claimed === undefined || typeof key !== "string")
      throw new CommandError(refusalIn(claimed, answer.status), answer.status >= 500 ? EXIT.unavailable : EXIT.refused);
    if (context.has("login")) await keepAccount(context.io, { apiKey: key, baseUrl });
    context.print.one({ object: "setup", ...claimed, base_url: baseUrl });
    context.io.err("This is the owner's key. It is shown only once.\n");
  },
};

export const setupCommands: readonly Command[] = [setup];

async function printLink(context: Context): Promise<void> {
  const { answer } = await operate(context, ["setup", "link"]);
  context.print.line(answer, `${String(answer["url"])}\nThe link works once, within 30 minutes.`);
}

interface Link {
  readonly baseUrl: string;
  readonly token: string;
}

async function linkOf(context: Context): Promise<Link> {
  const text = context.text("token");
  const url = text === undefined ? null : URL.parse(text);
  const inUrl = url?.searchParams.get("token") ?? undefined;
  if (url !== null && inUrl !== undefined) return { baseUrl: url.href.replace(/\/setup\?.*$/, ""), token: inUrl };
  const baseUrl = await readBaseUrl(context.io);
  if (text !== undefined) return { baseUrl, token: text };
  const { answer } = await operate(context, ["setup", "link"]);
  return { baseUrl, token: String(answer["token"]) };
}

async function given({ io, text }: Context, name: string, question: string): Promise<string> {
  const value = text(name) ?? (io.canAsk ? await io.ask(question) : "");
  if (value === "") throw new UsageError(`--${name} is required, because there is no terminal for a prompt.`);
  return value;
}

async function readPassword({ io }: Context): Promise<string> {
  const known = variable(io, PASSWORD);
  if (known !== undefined) return known;
  if (!io.canAsk) {
    const piped = (await io.input()).replace(/\r?\n$/, "");
    if (piped === "") throw new CommandError(`The password is missing. Set ${PASSWORD}, or pipe it in.`, EXIT.config);
    return piped;
  }
  const password = await io.ask("Password, 12 characters or more (not shown): ", { hidden: true });
  if (password !== (await io.ask("Repeat the password: ", { hidden: true })))
    throw new CommandError("The passwords do not match. Nothing was done.", EXIT.data);
  return password;
}

function refusalIn(problem: Record<string, unknown> | undefined, status: number): string {
  const { title, detail, errors } = { ...problem };
  const faults = Array.isArray(errors) ? (errors as { pointer?: unknown; message?: unknown }[]) : [];
  const lines = faults.map(({ pointer, message }) => `\n${String(pointer)} ${String(message)}`);
  if (typeof title !== "string") return `The service returned an unexpected response (${status}).`;
  return `${title} ${typeof detail === "string" && detail !== title ? detail : ""}`.trim() + lines.join("");
}
