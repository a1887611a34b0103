import type { SecretSource } from "../../audit/audit.ts";
import type { Contacts } from "../../contacts/contacts.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Events } from "../../events/events.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { EndIssues } from "../../issues/issues.ts";
import { createIntake } from "./intake.ts";
import type { Intake } from "./intake.ts";
import { createReceipts } from "./receipts.ts";
import type { Receipts } from "./receipts.ts";
import { sourceSecretSource } from "./redaction-source.ts";
import { createSources } from "./sources.ts";
import { createVerifier } from "./verifier.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Sources } from "./sources.ts";

export { sealedByInbound } from "./source.ts";

/** The inbound webhooks. Signed ones become activities on contacts (contract, section 6). */
export interface Inbound extends Intake {
  readonly sources: Sources;
  readonly receipts: Receipts;
  /** The source of secrets for redaction. */
  readonly secrets: SecretSource;
}

export interface InboundDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly signals: Signals;
  readonly contacts: Contacts;
  readonly events: Events;
  readonly net: Net;
  readonly baseUrl: string;
  readonly issuesEnded: EndIssues;
  /** Called after failures were written that may open an issue. */
  readonly reported: () => void;
}

export function createInbound(deps: InboundDeps): Inbound {
  const sources = createSources(deps);
  const receipts = createReceipts(deps);
  const verifier = createVerifier(deps);
  return { ...createIntake({ ...deps, sources, verifier }), sources, receipts, secrets: sourceSecretSource };
}
