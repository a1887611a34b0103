import type { Context } from "../command.ts";
import { CommandError } from "../exit.ts";
import { failureOf } from "../failure.ts";
import { askPublic, objectOf } from "../public.ts";
import type { PublicAnswer } from "../public.ts";
import { clientOf, readAccount, withoutTrailingSlashes } from "../settings.ts";
import { CLI_VERSION } from "../version.ts";

/** One thing looked at, as the service's own doctor tells it too. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly detail: string;
  readonly cause: string | null;
  readonly fix: string | null;
  readonly page: string;
}

type Fault = Pick<Check, "detail"> & { readonly cause: string; readonly fix: string };

const SKEW_WARNING_MS = 5000;
/** Signatures hold for so long. */
const SKEW_FAILED_MS = 300_000;

/** What can be seen of a service from anywhere. */
export async function remoteChecks(context: Context, baseUrl: string): Promise<Check[]> {
  const sentAt = Date.now();
  const answer = await askPublic(baseUrl, "/version").catch((error: unknown) => {
    if (error instanceof CommandError) return error;
    throw error;
  });
  if (answer instanceof CommandError)
    return [
      failed("service", unreachable(answer.message)),
      ...ROUND.map((name) => skipped(name, "There was no answer.")),
    ];
  const version = objectOf(answer)?.["version"];
  if (answer.status !== 200 || typeof version !== "string")
    return [failed("service", strange(baseUrl, answer)), ...ROUND.map((name) => skipped(name, "It is no Junction."))];
  return [
    ok("service", `${baseUrl} answers.`),
    await readyCheck(baseUrl),
    await selfTestCheck(baseUrl),
    versionCheck(version),
    clockCheck(answer, (sentAt + Date.now()) / 2),
    await keyCheck(context, baseUrl),
  ];
}

const ROUND = ["service_ready", "service_self_test", "service_version", "service_clock", "key"];

function unreachable(detail: string): Fault {
  return {
    detail,
    cause:
      "Nothing listens at this address, its name is unknown, its certificate is not trusted, or a firewall is between.",
    fix: "Start the service (`junction start`), or correct JUNCTION_BASE_URL; behind a proxy, see that it passes requests on.",
  };
}

function strange(baseUrl: string, { status }: PublicAnswer): Fault {
  const isMoved = status >= 300 && status < 400;
  return {
    detail: `${baseUrl}/version answered ${status}, and not as Junction does.`,
    cause: isMoved
      ? "The address leads elsewhere, and a key is never sent after a redirect."
      : "Another program, or a proxy, answers there.",
    fix: isMoved
      ? "Use the address that it leads to."
      : "Correct JUNCTION_BASE_URL, or the proxy's route to the service.",
  };
}

async function readyCheck(baseUrl: string): Promise<Check> {
  const answer = await askPublic(baseUrl, "/readyz");
  const checks = Object.entries({ ...(objectOf(answer)?.["checks"] as object | undefined) });
  if (answer.status === 200) return ok("service_ready", `Takes work: ${checks.map(([name]) => name).join(", ")}.`);
  const bad = checks.flatMap(([name, state]) => (state === "ok" ? [] : [name]));
  return failed("service_ready", {
    detail: `It takes no work (${answer.status}): ${bad.join(", ") || "it does not say why"}.`,
    cause: bad.includes("database") ? "It does not reach its database." : "It is starting or stopping.",
    fix: "Run `junction doctor` on its machine, and read its log.",
  });
}

/** The service bounds the time of a self-test by 10 s, and of the checks before it by 2 s. */
const SELF_TEST_MS = 15_000;

async function selfTestCheck(baseUrl: string): Promise<Check> {
  const name = "service_self_test";
  const answer = await askPublic(baseUrl, "/readyz?deep=1", { timeoutMs: SELF_TEST_MS });
  const result = objectOf(answer)?.["self_test"] as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof result !== "object" || result === null)
    return skipped(name, "This version of the service has no self-test, or the service stops.");
  const [at, ms] = [String(result["finished_at"]), String(result["duration_ms"])];
  if (result["status"] === "passed")
    return ok(name, `An event was accepted, delivered and verified in ${ms} ms (${at}).`);
  return failed(name, {
    detail: `Failed at the step "${String(result["failed_step"])}" (${at}). ${String(result["detail"])}`,
    cause: "An event does not get through the service to its receiver.",
    fix: "Run `junction doctor` on its machine, and read its log.",
  });
}

function versionCheck(version: string): Check {
  if (version === CLI_VERSION) return ok("service_version", `${version}, as this command line.`);
  return warning("service_version", {
    detail: `The service is ${version}, this command line ${CLI_VERSION}.`,
    cause: "One of the two was not updated.",
    fix: "Use the command line that comes with the service's version.",
  });
}

function clockCheck({ serverTime }: PublicAnswer, now: number): Check {
  if (serverTime === null) return skipped("service_clock", "Its answers carry no time.");
  // An answer's time is in whole seconds.
  const skewMs = serverTime + 500 - now;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const detail = `The service's clock is ${seconds} s ${skewMs < 0 ? "behind" : "ahead of"} this machine's.`;
  if (Math.abs(skewMs) < SKEW_WARNING_MS) return ok("service_clock", detail);
  const fault = {
    detail,
    cause: "One of the two clocks is wrong. Signatures hold for 300 s on either side.",
    fix: "Synchronise both machines: `timedatectl set-ntp true`, or chrony.",
  };
  return Math.abs(skewMs) < SKEW_FAILED_MS ? warning("service_clock", fault) : failed("service_clock", fault);
}

/** Only where the key is that of this service: a key goes nowhere else. */
async function keyCheck({ io }: Context, baseUrl: string): Promise<Check> {
  try {
    const account = await readAccount(io);
    if (withoutTrailingSlashes(account.baseUrl) !== baseUrl)
      return skipped("key", `The key is for ${account.baseUrl}, so it was not sent here.`);
    const { workspace, environment, role } = await clientOf(account).me.get();
    return ok("key", `It is taken: ${workspace.name}, ${environment}, ${role}.`);
  } catch (error) {
    const { title, detail } = failureOf(error);
    if (title.startsWith("No API key")) return skipped("key", title);
    return failed("key", {
      detail: detail ?? title,
      cause: "The service does not take the key, or it cannot be read.",
      fix: "Set JUNCTION_API_KEY to a key of this service, or run `junction login`.",
    });
  }
}

function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail, cause: null, fix: null, page: pageOf(name) };
}

function skipped(name: string, detail: string): Check {
  return { ...ok(name, detail), status: "skipped" };
}

function warning(name: string, fault: Fault): Check {
  return { name, status: "warning", ...fault, page: pageOf(name) };
}

function failed(name: string, fault: Fault): Check {
  return { name, status: "failed", ...fault, page: pageOf(name) };
}

function pageOf(name: string): string {
  return `docs/guide/doctor.md#${name}`;
}
