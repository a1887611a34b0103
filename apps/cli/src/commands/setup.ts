import type { Command, Context } from "../command.ts";
import { CommandError, EXIT } from "../exit.ts";
import { operate } from "../operator.ts";
import { askPublic, objectOf } from "../public.ts";
import { keepAccount, readBaseUrl, variable } from "../settings.ts";

const PASSWORD = "JUNCTION_OWNER_PASSWORD";

const setup: Command = {
  name: "setup",
  usage: "",
  summary: "Claim a new installation: make its owner",
  description: `Once, with the link that the first start printed, or on the service's machine without one. What is not given is asked for; the password comes from ${PASSWORD} or standard input, and is never an argument.`,
  options: {
    token: { type: "string", value: "<token>", about: "Of the link, or the whole link." },
    email: { type: "string", value: "<e-mail>", about: "The owner's." },
    name: { type: "string", value: "<name>", about: "The owner's." },
    link: { type: "boolean", about: "Only make a new link for a browser, on the service's machine." },
    login: { type: "boolean", about: "Keep the owner's key, as `junction login` does." },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    if (context.has("link")) return await printLink(context);
    const { baseUrl, token } = await linkOf(context);
    const email = await given(context, "email", "E-mail: ");
    const name = await given(context, "name", "Name: ");
    const password = await readPassword(context);
    const answer = await askPublic(baseUrl, "/v1/auth/setup", { body: { token, email, name, password } });
    const claimed = objectOf(answer);
    const key = claimed?.["api_key"];
    if (answer.status !== 201 || claimed === undefined || typeof key !== "string")
      throw new CommandError(refusalIn(claimed, answer.status), answer.status >= 500 ? EXIT.unavailable : EXIT.refused);
    if (context.has("login")) await keepAccount(context.io, { apiKey: key, baseUrl });
    context.print.one({ object: "setup", ...claimed, base_url: baseUrl });
    context.io.err("The key is the owner's, and shown this once.\n");
  },
};

export const setupCommands: readonly Command[] = [setup];

async function printLink(context: Context): Promise<void> {
  const { answer } = await operate(context, ["setup", "link"]);
  context.print.line(answer, `${String(answer["url"])}\nIt works once, within 30 minutes.`);
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
  if (value === "") throw new CommandError(`Give --${name}: there is no terminal to ask at.`);
  return value;
}

async function readPassword({ io }: Context): Promise<string> {
  const known = variable(io, PASSWORD);
  if (known !== undefined) return known;
  if (!io.canAsk) {
    const piped = (await io.input()).replace(/\r?\n$/, "");
    if (piped === "") throw new CommandError(`No password was given. Set ${PASSWORD}, or pipe it in.`, EXIT.config);
    return piped;
  }
  const password = await io.ask("Password, 12 characters or more (not shown): ", { hidden: true });
  if (password !== (await io.ask("The same again: ", { hidden: true })))
    throw new CommandError("The two are not the same. Nothing was done.", EXIT.data);
  return password;
}

function refusalIn(problem: Record<string, unknown> | undefined, status: number): string {
  const { title, detail, errors } = { ...problem };
  const faults = Array.isArray(errors) ? (errors as { pointer?: unknown; message?: unknown }[]) : [];
  const lines = faults.map(({ pointer, message }) => `\n${String(pointer)} ${String(message)}`);
  if (typeof title !== "string") return `The service answered ${status}, and not what was expected.`;
  return `${title} ${typeof detail === "string" && detail !== title ? detail : ""}`.trim() + lines.join("");
}
