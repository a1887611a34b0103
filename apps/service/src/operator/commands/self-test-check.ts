import { askOwnService } from "../../platform/outbound-http/outbound-http.ts";
import type { SelfTestView } from "../../lib/lib.ts";
import { failed, ok, skipped } from "./checks.ts";
import type { Check, Fault } from "./checks.ts";
import type { MachineSettings } from "./command.ts";

/** The timeout: a self-test takes at most 10 s, and the checks before it 2 s. */
const ANSWER_MS = 15_000;

type Step = NonNullable<SelfTestView["failed_step"]>;

const ADVICE: Readonly<Record<Step, Pick<Fault, "cause" | "fix">>> = {
  accepted: {
    cause: "The service cannot write an event to its database.",
    fix: "See the check `database`, the database's disk, and the service's log from that time.",
  },
  stored: {
    cause: "The database does not return what the service wrote.",
    fix: "Look for triggers in the database, and for a connection pooler that reads from a replica.",
  },
  dispatched: {
    cause: "The event did not create the delivery that its endpoint subscribes to.",
    fix: "Read the service's log from that time. Run the same version on all nodes.",
  },
  delivered: {
    cause: "No process sends deliveries, or the process that sends them cannot reach its own port.",
    fix: "Check that a process with the role `worker` is running, and that no firewall blocks the process from its own JUNCTION_PORT. See also the check `backlog`.",
  },
  verified: {
    cause: "The delivery that arrived differs from the one that was signed.",
    fix: "Set the same JUNCTION_MASTER_KEY on all nodes. Look for triggers in the database.",
  },
};

/** Reads the self-test of the service that runs on this machine. */
export async function selfTestCheck({ host, port }: MachineSettings): Promise<Check> {
  const address = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const url = `http://${address.includes(":") ? `[${address}]` : address}:${port}/readyz?deep=1`;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await askOwnService({ method: "GET", url, headers: {}, signal }).catch(() => undefined);
  if (answer === undefined) return skipped("self_test", `No service responds at ${host}:${port}.`);
  const { self_test: result } = { ...(answer.body as { readonly self_test?: SelfTestView } | null) };
  if (result === undefined)
    return skipped("self_test", `The program at ${host}:${port} has no self-test, or is stopping.`);
  const { status, failed_step: step, detail, finished_at: at, duration_ms: ms } = result;
  if (status === "passed" || step === null)
    return ok("self_test", `An event was accepted, delivered and verified in ${ms} ms (${at}).`);
  return failed("self_test", { detail: `Failed at the step "${step}" (${at}). ${detail ?? ""}`, ...ADVICE[step] });
}
