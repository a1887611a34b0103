import type { Context } from "../command.ts";
import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { failureOf } from "../failure.ts";
import { askPublic, objectOf } from "../public.ts";
import type { PublicAnswer } from "../public.ts";
import { clientOf, readAccount, withoutTrailingSlashes } from "../settings.ts";
import { CLI_VERSION } from "../version.ts";
import { failed, ok, skipped, warning } from "./check.ts";
import type { Check, Fault } from "./check.ts";

const SKEW_WARNING_MS = 5000;
/** Signatures are valid for this long. */
const SKEW_FAILED_MS = 300_000;

/** Checks everything that is visible of a service from anywhere. */
export async function remoteChecks(context: Context, baseUrl: string): Promise<Check[]> {
  const sentAt = Date.now();
  const answer = await askPublic(baseUrl, "/version").catch((error: unknown) => {
    if (error instanceof CommandError) return error;
    throw error;
  });
  if (answer instanceof CommandError)
    return [
      failed("service", unreachable(answer.message)),
      ...ROUND.map((name) => skipped(name, "The service did not respond.")),
    ];
  const version = objectOf(answer)?.["version"];
  if (answer.status !== 200 || typeof version !== "string")
    return [
      failed("service", strange(baseUrl, answer)),
      ...ROUND.map((name) => skipped(name, "The program at this address is not Junction.")),
    ];
  return [
    ok("service", `${baseUrl} responds.`),
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
      "Nothing listens at this address, its name is unknown, its certificate is not trusted, or a firewall blocks the connection.",
    fix: "Start the service (`junction start`), or correct JUNCTION_BASE_URL. If there is a proxy, check that it forwards requests.",
  };
}

function strange(baseUrl: string, { status }: PublicAnswer): Fault {
  const isMoved = status >= 300 && status < 400;
  return {
    detail: `${baseUrl}/version responded with ${status}, unlike Junction.`,
    cause: isMoved
      ? "The address redirects, and a key is never sent after a redirect."
      : "Another program or a proxy responds at this address.",
    fix: isMoved
      ? "Use the address that it redirects to."
      : "Correct JUNCTION_BASE_URL, or the proxy's route to the service.",
  };
}

async function readyCheck(baseUrl: string): Promise<Check> {
  const answer = await askPublic(baseUrl, "/readyz");
  const checks = Object.entries({ ...(objectOf(answer)?.["checks"] as object | undefined) });
  if (answer.status === 200) return ok("service_ready", `Ready: ${checks.map(([name]) => name).join(", ")}.`);
  const bad = checks.flatMap(([name, state]) => (state === "ok" ? [] : [name]));
  return failed("service_ready", {
    detail: `Not ready (${answer.status}): ${bad.join(", ") || "no reason reported"}.`,
    cause: bad.includes("database") ? "The service cannot reach its database." : "The service is starting or stopping.",
    fix: "Run `junction doctor` on the service's machine, and read the service's log.",
  });
}

/** The service limits the time of a self-test to 10 s, and of the checks before it to 2 s. */
const SELF_TEST_MS = 15_000;

async function selfTestCheck(baseUrl: string): Promise<Check> {
  const name = "service_self_test";
  const answer = await askPublic(baseUrl, "/readyz?deep=1", { timeoutMs: SELF_TEST_MS });
  const result = objectOf(answer)?.["self_test"] as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof result !== "object" || result === null)
    return skipped(name, "This version of the service has no self-test, or the service is stopping.");
  const [at, ms] = [String(result["finished_at"]), String(result["duration_ms"])];
  if (result["status"] === "passed")
    return ok(name, `An event was accepted, delivered and verified in ${ms} ms (${at}).`);
  return failed(name, {
    detail: `Failed at the step "${String(result["failed_step"])}" (${at}). ${String(result["detail"])}`,
    cause: "Events do not get through the service to their receivers.",
    fix: "Run `junction doctor` on the service's machine, and read the service's log.",
  });
}

function versionCheck(version: string): Check {
  if (version === CLI_VERSION) return ok("service_version", `${version}, the same as this command line.`);
  return warning("service_version", {
    detail: `The service has version ${version}, this command line ${CLI_VERSION}.`,
    cause: "One of the two was not updated.",
    fix: "Use the command line that is included with the service's version.",
  });
}

function clockCheck({ serverTime }: PublicAnswer, now: number): Check {
  if (serverTime === null) return skipped("service_clock", "The service's responses do not include the time.");
  // The time of a response is in whole seconds.
  const skewMs = serverTime + 500 - now;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const detail = `The service's clock is ${seconds} s ${skewMs < 0 ? "behind" : "ahead of"} this machine's.`;
  if (Math.abs(skewMs) < SKEW_WARNING_MS) return ok("service_clock", detail);
  const fault = {
    detail,
    cause: "One of the two clocks is wrong. Signatures are valid for 300 s in both directions.",
    fix: "Synchronize both machines: `timedatectl set-ntp true`, or chrony.",
  };
  return Math.abs(skewMs) < SKEW_FAILED_MS ? warning("service_clock", fault) : failed("service_clock", fault);
}

/** Checks the key only if it belongs to this service, because a key is sent nowhere else. */
async function keyCheck({ io }: Context, baseUrl: string): Promise<Check> {
  try {
    const account = await readAccount(io);
    if (withoutTrailingSlashes(account.baseUrl) !== baseUrl)
      return skipped("key", `The key is for ${account.baseUrl}, so it was not sent here.`);
    const { workspace, environment, role } = await clientOf(account).me.get();
    return ok("key", `The key is valid: ${workspace.name}, ${environment}, ${role}.`);
  } catch (error) {
    const { title, detail } = failureOf(error);
    if (title.startsWith("No API key")) return skipped("key", title);
    return failed("key", {
      detail: detail ?? title,
      cause: "The service does not accept the key, or the key cannot be read.",
      fix: "Set JUNCTION_API_KEY to a key of this service, or run `junction login`.",
    });
  }
}
