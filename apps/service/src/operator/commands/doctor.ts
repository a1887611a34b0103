import { migrationState } from "../../platform/db/db.ts";
import { VERSION } from "../../lib/lib.ts";
import { backupCheck } from "./backup-check.ts";
import { citusChecks } from "./citus-check.ts";
import { failed, looked, ok, skipped, warning } from "./checks.ts";
import type { Check } from "./checks.ts";
import { outcomeOf } from "./command.ts";
import type { Command, Host, MachineSettings, DatabaseLocation, InstallationServices } from "./command.ts";
import { clockAndVersionOf, targetHosts } from "./doctor.store.ts";
import type { ServerFacts } from "./doctor.store.ts";
import { baseUrlCheck, dataFolderCheck, egressCheck, masterKeyCheck, portCheck } from "./machine-checks.ts";
import { mailCheck } from "./mail-check.ts";
import { masterKeyIn } from "./master-key.ts";
import { PUBLIC_NAME, publicNameCheck } from "./name-checks.ts";
import { selfTestCheck } from "./self-test-check.ts";
import { sealedValuesCheck } from "./seals.ts";
import { optionalText } from "./usage.ts";
import type { Form, TypedArguments } from "./usage.ts";

const HOST_NAME: Form = { pattern: /^[\w.-]{1,253}$/, what: "a host name" };
const OLDEST_NODE = 26;
/** A database normally responds in a millisecond; half a second indicates a network problem. */
const SLOW_MS = 500;
const SKEW_WARNING_MS = 2000;
/** Signatures are valid for 300 s. */
const SKEW_FAILED_MS = 60_000;
const BACKLOG_WARNING_S = 60;
const BACKLOG_FAILED_S = 600;

/** Checks this machine's installation. Changes and starts nothing, and continues after failed checks. */
export function doctorCommand(given: TypedArguments): Command {
  const asked = {
    egress: optionalText(given, "egress")?.split(","),
    publicName: optionalText(given, "public-name", HOST_NAME) ?? PUBLIC_NAME,
  };
  return {
    on: "machine",
    run: async (machine) => {
      const checks = await examine(machine, asked);
      const isWell = checks.every(({ status }) => status !== "failed");
      return outcomeOf({ object: "doctor", ok: isWell, checks }, isWell ? 0 : 1);
    },
  };
}

/** The targets and the name that the operator chose to check. */
interface DoctorRequest {
  readonly egress: readonly string[] | undefined;
  readonly publicName: string;
}

async function examine(machine: Host, { egress, publicName }: DoctorRequest): Promise<Check[]> {
  const checks = [versionCheck()];
  const settings = settingsOf(machine);
  checks.push(settings.check);
  if (settings.found === undefined) return checks;
  const { found } = settings;
  checks.push(await looked("port", async () => await portCheck(found)));
  checks.push(await looked("data_folder", async () => await dataFolderCheck(found)));
  checks.push(await looked("master_key", async () => await masterKeyCheck(found)));
  checks.push(await looked("base_url", async () => await baseUrlCheck(found)));
  checks.push(await looked("public_name", async () => await publicNameCheck(found, publicName)));
  checks.push(await looked("mail", async () => await mailCheck(found)));
  checks.push(await looked("self_test", async () => await selfTestCheck(found)));
  return [...checks, ...(await databaseChecks(machine, found, egress))];
}

function versionCheck(): Check {
  const major = Number(process.versions.node.split(".")[0]);
  const detail = `Junction ${VERSION} on Node ${process.version}`;
  if (major >= OLDEST_NODE) return ok("version", detail);
  return warning("version", {
    detail,
    cause: `Junction is tested on Node ${OLDEST_NODE}, which \`npm ci\` installs.`,
    fix: "Run `npm ci` and start with `npm start`, or `junction start`.",
  });
}

function settingsOf(machine: Host): { readonly check: Check; readonly found?: MachineSettings } {
  try {
    return { check: ok("configuration", "The environment's settings are valid."), found: machine.settings() };
  } catch (error) {
    return {
      check: failed("configuration", {
        detail: error instanceof Error ? error.message : String(error),
        cause: "The service does not start with an invalid setting.",
        fix: "Correct these environment variables.",
      }),
    };
  }
}

async function databaseChecks(
  machine: Host,
  settings: MachineSettings,
  egress: readonly string[] | undefined,
): Promise<Check[]> {
  const url = await machine.runningDatabase();
  if (url === undefined) return await withoutDatabase(settings, egress);
  const place = machine.placeOn(url);
  const facts = await factsOf(url);
  if ("check" in facts) return [facts.check, ...(await withoutDatabase(settings, egress)).slice(1)];
  const migrations = await looked("migrations", async () => await migrationsCheck(place));
  const checks = [databaseCheck(facts), clockCheck(facts), migrations, ...(await citusChecks(url))];
  if (migrations.status !== "ok") {
    const why = "Not checked: the database's schema is not the schema of this version.";
    return [...checks, ...notAsked(why), await looked("egress", async () => await egressCheck(settings, egress ?? []))];
  }
  return [...checks, ...(await siteChecks(place, settings, egress))];
}

async function withoutDatabase(settings: MachineSettings, egress: readonly string[] | undefined): Promise<Check[]> {
  const why = "No database is running on this data folder. `junction start` starts it.";
  return [
    ...["database", "clock", "migrations", "sealed_values", "backlog", "backup"].map((name) => skipped(name, why)),
    await looked("egress", async () => await egressCheck(settings, egress ?? [])),
  ];
}

async function factsOf(url: string): Promise<ServerFacts | { readonly check: Check }> {
  try {
    return await clockAndVersionOf(url);
  } catch (error) {
    return {
      check: failed("database", {
        detail: error instanceof Error && error.message !== "" ? error.message : String(error),
        cause:
          "The database does not accept the connection: it is down, it is at another address, or it rejects the user.",
        fix: "Start it, or correct DATABASE_URL. Check that `psql` connects to that address from this machine.",
      }),
    };
  }
}

function databaseCheck({ version, answerMs }: ServerFacts): Check {
  const detail = `PostgreSQL ${version}, responds in ${answerMs.toFixed(1)} ms`;
  if (answerMs < SLOW_MS) return ok("database", detail);
  return warning("database", {
    detail,
    cause: "Each request waits for the database several times.",
    fix: "Move the database and the service closer together, or find out what keeps the database busy.",
  });
}

function clockCheck({ skewMs }: ServerFacts): Check {
  const size = Math.abs(skewMs);
  const detail = `The database's clock is ${(size / 1000).toFixed(1)} s ${skewMs < 0 ? "behind" : "ahead of"} this machine's.`;
  if (size < SKEW_WARNING_MS) return ok("clock", detail);
  const fault = {
    detail,
    cause:
      "One of the two clocks is wrong. Signatures are rejected if they seem too old, and retries happen too early or too late.",
    fix: "Synchronize both machines: `timedatectl set-ntp true`, or chrony.",
  };
  return size < SKEW_FAILED_MS ? warning("clock", fault) : failed("clock", fault);
}

async function migrationsCheck({ databaseUrl, migrations }: DatabaseLocation): Promise<Check> {
  const { applied, missing, fault } = await migrationState(databaseUrl, migrations);
  if (fault !== null)
    return failed("migrations", {
      detail: fault,
      cause: "This version cannot run on this database.",
      fix: "Run the version that created it or a later one, or restore a backup.",
    });
  if (missing.length === 0) return ok("migrations", `All ${applied.length} migrations are applied.`);
  return failed("migrations", {
    detail: `${missing.length} migrations are missing, starting with ${missing[0] ?? ""}.`,
    cause: "This version has not been started on this database yet.",
    fix: "Create a backup, then run `junction migrate`. Starting the service applies them too.",
  });
}

async function siteChecks(
  place: DatabaseLocation,
  settings: MachineSettings,
  egress: readonly string[] | undefined,
): Promise<Check[]> {
  const key = settings.masterKey ?? (await masterKeyIn(settings.dataDir));
  if (key === undefined) {
    const why = "Not checked: the master key is missing.";
    return [...notAsked(why), await looked("egress", async () => await egressCheck(settings, egress ?? []))];
  }
  const { previousMasterKeys: previous } = place;
  return await place.within(key, async (site) => [
    await looked(
      "sealed_values",
      async () => await sealedValuesCheck({ db: site.db, masterKey: key, previous, columns: site.encryptedColumns }),
    ),
    await looked("backlog", async () => await backlogCheck(site)),
    await looked("backup", async () => await backupCheck(site)),
    await looked("egress", async () => await egressCheck(settings, egress ?? (await targetHosts(site.db.query)))),
  ]);
}

/** Returns the checks that need the installation's own schema and key, as skipped. */
function notAsked(why: string): Check[] {
  return ["sealed_values", "backlog", "backup"].map((name) => skipped(name, why));
}

async function backlogCheck({ deliver }: InstallationServices): Promise<Check> {
  const [age, pending] = [await deliver.oldestDueAgeSeconds(), await deliver.pendingDeliveries()];
  const detail = `The oldest due delivery has been waiting for ${age.toFixed(0)} s. About ${pending} deliveries are pending.`;
  if (age < BACKLOG_WARNING_S) return ok("backlog", detail);
  const fault = {
    detail,
    cause: "Deliveries become due faster than they are sent: no worker is running, or receivers are slow.",
    fix: "Check that a process with the role `worker` is running, increase an endpoint's `max_in_flight`, or start more nodes.",
  };
  return age < BACKLOG_FAILED_S ? warning("backlog", fault) : failed("backlog", fault);
}
