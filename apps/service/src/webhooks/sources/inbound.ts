import type { SecretSource } from "../../audit/audit.ts";
import type { Contacts } from "../../contacts/contacts.ts";
import type { Events } from "../../events/events.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import { createIntake } from "./intake.ts";
import type { Intake } from "./intake.ts";
import { createReceipts } from "./receipts.ts";
import type { Receipts } from "./receipts.ts";
import { sourceSecretSource } from "./redaction-source.ts";
import { createSources } from "./sources.ts";
import { createVerifier } from "./verifier.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Sources, SourcesDeps } from "./sources.ts";

export { sealedByInbound } from "./source.ts";

/** The inbound webhooks. Signed ones become activities on contacts (contract, section 6). */
export interface Inbound extends Intake {
  readonly sources: Sources;
  readonly receipts: Receipts;
  /** The source of secrets for redaction. */
  readonly secrets: SecretSource;
}

export interface InboundDeps extends SourcesDeps {
  readonly log: Log;
  readonly signals: Signals;
  readonly contacts: Contacts;
  readonly events: Events;
  readonly net: Net;
  /** Called after failures were written that may open an issue. */
  readonly reported: () => void;
}

export function createInbound(deps: InboundDeps): Inbound {
  const sources = createSources(deps);
  const receipts = createReceipts(deps);
  const verifier = createVerifier(deps);
  return { ...createIntake({ ...deps, sources, verifier }), sources, receipts, secrets: sourceSecretSource };
}
