import type { Contacts } from "../../contacts/contacts.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Events } from "../../events/events.ts";
import { HostError } from "../sandbox/hosts.ts";
import type { Clock, Json } from "../../lib/lib.ts";
import { isPassing } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { SmtpSettings } from "../../platform/mail/mail.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { CallContext } from "./context.ts";
import { createFireRates, fire } from "./fire-service.ts";
import type { Fixtures } from "./fixtures.ts";
import { http } from "./http-service.ts";
import { createKv } from "./kv.ts";
import { createMailService } from "./mail-service.ts";
import { addActivity, find, upsert } from "./people-service.ts";
import type { RunDraft } from "./run-log.ts";

/** The services that connector code may call. Each is limited, logged, and available only as declared. */
export type Services = ReturnType<typeof createServices>;

export interface ServiceCall {
  readonly name: string;
  readonly args: readonly Json[];
  /** The details that `tell` added. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface ServicesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly net: Pick<Net, "send">;
  readonly contacts: Pick<Contacts, "customers" | "timeline">;
  readonly events: Pick<Events, "fireWithin">;
  readonly mail: SmtpSettings | null;
  readonly fixtures: Fixtures;
}

type Service = (context: CallContext, args: readonly Json[]) => Promise<Json>;

export function createServices(deps: ServicesDeps) {
  const { clock, log } = deps;
  const kv = createKv(deps.db);
  const mail = createMailService(deps);
  const rates = createFireRates(deps.db);
  const services: ReadonlyMap<string, Service> = new Map<string, Service>([
    ["fire", async (context, args) => await fire({ ...deps, rates }, context, args)],
    ["http", async (context, args) => await http(deps, context, args)],
    ["contacts.find", async (context, args) => await find(deps, context, args)],
    ["contacts.upsert", async (context, args) => await upsert(deps, context, args)],
    ["timeline.add", async (context, args) => await addActivity(deps, context, args)],
    ["kv.get", kv.get],
    ["kv.set", kv.set],
    ["kv.cas", kv.cas],
    ["mail", mail.send],
  ]);
  return {
    /** Answers a request. Throws HostError, which is passed to the code. */
    async answer(context: CallContext, draft: RunDraft, { name, args, details }: ServiceCall): Promise<Json> {
      const startedMs = clock.monotonicMs();
      const note = (error: HostError | null): void =>
        draft.note({
          service: name.slice(0, 50),
          ...details,
          duration_ms: Math.round(clock.monotonicMs() - startedMs),
          error: error === null ? null : { code: error.code, message: error.message },
        });
      try {
        const service = services.get(name);
        if (service === undefined) throw new HostError("invalid", `Unknown service: ${name.slice(0, 50)}.`);
        const value = await service(context, args);
        note(null);
        return value;
      } catch (error) {
        const told = toldOf(log, error);
        note(told);
        throw told;
      }
    },
    close: (): void => mail.close(),
  };
}

/** Hides the details of an internal error from the code. */
function toldOf(log: Log, error: unknown): HostError {
  if (error instanceof HostError) return error;
  log.error({ err: error }, "a connector's service call failed");
  return new HostError(
    "failed",
    isPassing(error) ? "The service is busy; try again." : "Something went wrong in the service.",
  );
}
