import type { Command, Context, ExitOrNothing } from "../command.ts";
import { EXIT } from "../exit.ts";
import { hasService, operate } from "../operator.ts";
import type { Color } from "../printer.ts";
import { readBaseUrl, withoutTrailingSlashes } from "../settings.ts";
import { visible } from "../text.ts";
import type { Check } from "./check.ts";
import { mcpChecks } from "./mcp-checks.ts";
import { mcpEventChecks } from "./mcp-event-checks.ts";
import { remoteChecks } from "./remote-checks.ts";

export const doctorCommand: Command = {
  name: "doctor",
  usage: "",
  summary: "Diagnose problems of an installation",
  description:
    "On the service's machine, checks settings, port, data folder, master key, name resolution, self-test, database, migrations, clock, egress and backlog. From here, checks that the service responds, is ready, passes its self-test, has this version and the right time, and accepts your key. With --mcp, walks the connection of an AI app by OAuth instead, then its subscription to an event with your key, and names the step that fails. Nothing is changed. Exit code 1 if a check fails.",
  options: {
    "base-url": { type: "string", value: "<url>", about: "Check only this service, from here." },
    mcp: {
      type: "string",
      value: "<url>",
      about: "Check only how an AI app reaches this address of MCP, from here.",
    },
    "public-name": {
      type: "string",
      value: "<name>",
      about: "Resolve this name instead of example.com. Use none on a machine without internet access.",
    },
    egress: {
      type: "string",
      value: "<host:port>",
      about: "Test these connections (comma-separated) instead of the endpoints' hosts.",
    },
  },
  words: { least: 0, most: 0 },
  async run(context): Promise<ExitOrNothing> {
    const mcp = context.text("mcp");
    if (mcp !== undefined)
      return report(context, mcp, [...(await mcpChecks(mcp)), ...(await mcpEventChecks(context.io, mcp))]);
    const local = context.text("base-url") === undefined && hasService ? await localChecks(context) : [];
    const baseUrl = withoutTrailingSlashes(context.text("base-url") ?? (await readBaseUrl(context.io)));
    return report(context, baseUrl, [...local, ...(await remoteChecks(context, baseUrl))]);
  },
};

function report(context: Context, baseUrl: string, checks: readonly Check[]): ExitOrNothing {
  const isWell = checks.every(({ status }) => status !== "failed");
  const answer = { object: "doctor", ok: isWell, base_url: baseUrl, checks };
  if (context.print.isJson) context.print.one(answer);
  else context.io.out(textOf(context, checks, isWell));
  return isWell ? EXIT.done : EXIT.refused;
}

async function localChecks(context: Context): Promise<Check[]> {
  const given = (name: string): string[] => {
    const value = context.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  };
  const { answer } = await operate(context, ["doctor", ...given("public-name"), ...given("egress")]);
  return answer["checks"] as Check[];
}

const COLORS: Readonly<Record<Check["status"], Color>> = {
  ok: "green",
  warning: "amber",
  failed: "red",
  skipped: "faint",
};

function textOf({ print }: Context, checks: readonly Check[], isWell: boolean): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, detail, cause, fix, page }) => {
    const about = [cause, fix, status === "ok" || status === "skipped" ? null : page];
    const indent = " ".repeat(width + 11);
    const more = about.filter((text) => text !== null).map((text) => `${indent}${visible(text)}`);
    const [first = "", ...rest] = detail.split("\n");
    return [
      `${print.tint(COLORS[status], status.padEnd(7))}  ${name.padEnd(width)}  ${visible(first)}`,
      ...rest.map((line) => `${indent}${visible(line)}`),
      ...more,
    ];
  });
  const bad = checks.filter(({ status }) => status === "failed").length;
  const verdict = isWell ? "No problems found." : `${bad} of ${checks.length} checks failed.`;
  return `${lines.join("\n")}\n\n${verdict}\n`;
}
