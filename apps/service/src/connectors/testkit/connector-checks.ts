import { exampleEvent } from "../../events/events.ts";
import type { ContractInput } from "../../actions/actions.ts";
import { handledActions } from "../registry/connectors.ts";
import type { Json } from "../../lib/lib.ts";
import { isRecord } from "../../lib/lib.ts";
import type { HookCall, Bench, End } from "./bench.ts";

/** The result of one check: its faults, or the reason why it was skipped. */
export type CheckResult = { readonly faults: string[]; readonly told: string } | { readonly skipped: string };

/** Collects the effects of repeated calls, which are a separate check. */
export interface Twice {
  readonly faults: string[];
  count: number;
}

export interface Listener {
  readonly event: string;
  readonly priority: number;
  readonly handlers: readonly string[];
}

/**
 * Five times the deadline that the service gives providers, because this machine may be busy and no real service is
 * slow here.
 */
const PROVIDER_MS = 4000;
const MAX_CONTEXT_BYTES = 64 * 1024;
const AT = "2026-11-21T13:00:00.000Z";
const IDENTITY = ["external_id", "email", "phone", "name"];

export async function checkSettings(bench: Bench): Promise<CheckResult> {
  const { test } = bench.version.settings;
  if (test === undefined) return { skipped: "settings.json does not declare a test" };
  const end = await bench.call({ hook: "test", name: test });
  if (!end.ok) return failed([`${test}(): ${wordsOf(end)}`]);
  const { ok = true, message = "" } = isRecord(end.value) ? end.value : {};
  return ok === true
    ? passed(`${test}() returned ${JSON.stringify(message)}`)
    : failed([`${test}() rejected the responses of the fixtures: ${JSON.stringify(message)}`]);
}

/** Calls each handler of each subscribed event twice. */
export async function checkEvents(bench: Bench, listeners: readonly Listener[], twice: Twice): Promise<CheckResult> {
  if (listeners.length === 0) return { skipped: "the connector subscribes to no events" };
  const faults: string[] = [];
  let count = 0;
  for (const { event, handlers } of listeners) {
    const name = exampleEvent([event]);
    const data = bench.samples.event(name);
    if (data === undefined) {
      faults.push(`${name}: the schema is unknown; add a sample to fixtures/kit.json, events`);
      continue;
    }
    count += 1;
    const fact = { id: `evt_00000000kit${String(count).padStart(23, "0")}`, event: name, timestamp: AT, data };
    for (const handler of handlers)
      faults.push(
        ...(await atWhich(bench, twice, {
          label: `${name}, ${handler}()`,
          asked: { hook: "subscriber", name: handler, event: fact, cause: `${fact.id} ${handler}` },
        })),
      );
  }
  return faults.length > 0 ? failed(faults) : passed(`${count} events received`);
}

export async function checkIdentity(bench: Bench): Promise<CheckResult> {
  const providers = bench.version.description.identity_providers;
  if (providers.length === 0) return { skipped: "the connector has no identity providers" };
  const faults: string[] = [];
  for (const provider of providers)
    for (const identifier of bench.samples.identities(provider)) {
      const end = await bench.call({ hook: "identity", name: provider, args: [identifier], deadlineMs: PROVIDER_MS });
      const label = `${provider}, ${JSON.stringify(identifier)}`;
      if (!end.ok) faults.push(`${label}: ${wordsOf(end)}`);
      else if (end.value !== null) faults.push(...identityFaults(end.value).map((fault) => `${label}: ${fault}`));
    }
  return faults.length > 0 ? failed(faults) : passed(providers.join(", "));
}

function identityFaults(value: Json): string[] {
  if (!isRecord(value)) return ["the provider must return an identity or null"];
  return Object.entries(value)
    .filter(([name, member]) => !IDENTITY.includes(name) || (typeof member !== "string" && member !== null))
    .map(([name]) => `${name} must be a string and one of ${IDENTITY.join(", ")}`);
}

export async function checkContext(bench: Bench): Promise<CheckResult> {
  const providers = bench.version.description.context_providers;
  if (providers.length === 0) return { skipped: "the connector has no context providers" };
  const faults: string[] = [];
  for (const provider of providers)
    for (const customer of bench.samples.customers) {
      const end = await bench.call({ hook: "context", name: provider, args: [customer], deadlineMs: PROVIDER_MS });
      if (!end.ok) faults.push(`${provider}: ${wordsOf(end)}`);
      else faults.push(...contextFaults(provider, end.value).map((fault) => `${provider}: ${fault}`));
    }
  return faults.length > 0 ? failed(faults) : passed(providers.join(", "));
}

function contextFaults(provider: string, value: Json): string[] {
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_CONTEXT_BYTES) return ["the provider returned more than 64 KiB"];
  if (provider !== "tickets") return [];
  if (!Array.isArray(value)) return ["the provider must return a list of tickets"];
  const isTicket = (one: unknown): boolean => isRecord(one) && typeof one["external_id"] === "string";
  return value.every(isTicket) ? [] : ["a ticket has no external_id"];
}

/** Runs each action that the connector handles twice, as a retry of one run. Then undoes it if the connector can. */
export async function checkActions(bench: Bench, twice: Twice): Promise<CheckResult> {
  const handled = new Set(handledActions(bench.version.actions));
  if (handled.size === 0) return { skipped: "the connector's code performs no actions" };
  const faults: string[] = [];
  for (const contract of bench.version.actions) {
    if (!handled.has(contract.key)) continue;
    const end = await performed(bench, twice, faults, { contract, name: contract.key });
    const undo = `${contract.key}:undo`;
    if (handled.has(undo) && end?.ok === true)
      await performed(bench, twice, faults, { contract, name: undo, result: end.value });
  }
  return faults.length > 0 ? failed(faults) : passed([...handled].join(", "));
}

async function performed(
  bench: Bench,
  twice: Twice,
  faults: string[],
  { contract, name, result }: { readonly contract: ContractInput; readonly name: string; readonly result?: Json },
): Promise<End | undefined> {
  const key = `idk_00000000kit${name.length}${name}`;
  const run = { id: "run_00000000kit0000000000000000000000run", idempotency_key: key, dry_run: false };
  let first: End | undefined;
  const asked: HookCall = {
    hook: "action",
    name,
    args: [bench.samples.action(contract), result === undefined ? run : { ...run, result }],
    cause: `action:${key}`,
    deadlineMs: contract.timeout_ms ?? 10_000,
  };
  faults.push(...(await atWhich(bench, twice, { label: name, asked, seen: (end) => (first = end) })));
  return first;
}

/**
 * Sends each sample twice, and two bodies that the sender would not send. These have a valid signature, so the
 * connector must accept them and not fail on each retry.
 */
export async function checkWebhook(bench: Bench, twice: Twice): Promise<CheckResult> {
  if (bench.version.description.webhook === null) return { skipped: "the connector has no webhook" };
  const { webhooks } = bench.samples;
  if (webhooks.length === 0) return failed(["there is no sample webhook; add samples to fixtures/kit.json, webhooks"]);
  const faults: string[] = [];
  const all = [...webhooks, { headers: {}, body: {} }, { headers: {}, body: { unexpected: [null, { deep: 1 }] } }];
  for (const [at, { headers, body }] of all.entries()) {
    const id = `cwh_00000000kit${String(at).padStart(23, "0")}`;
    const label =
      at < webhooks.length
        ? `sample ${at + 1} of fixtures/kit.json`
        : `a body of another sender (${JSON.stringify(body)})`;
    const asked: HookCall = { hook: "webhook", name: "", args: [body, { id, headers }], cause: `webhook:${id}` };
    faults.push(...(await atWhich(bench, twice, { label, asked })));
  }
  return faults.length > 0 ? failed(faults) : passed(`${webhooks.length} samples`);
}

interface Telling {
  readonly label: string;
  readonly asked: HookCall;
  /** Called with the result of the first call. */
  seen?(end: End): void;
}

/**
 * Makes a call and, if it succeeded, repeats it, as the service does if it does not know the result. Returns the
 * faults.
 */
async function atWhich(bench: Bench, twice: Twice, { label, asked, seen }: Telling): Promise<string[]> {
  bench.standIn.takeEffects();
  const first = await bench.call(asked);
  seen?.(first);
  if (!first.ok) return [`${label}: ${wordsOf(first)}`];
  bench.standIn.takeEffects();
  const second = await bench.call(asked);
  twice.count += 1;
  if (!second.ok) twice.faults.push(`${label}: the second call failed: ${wordsOf(second)}`);
  twice.faults.push(
    ...bench.standIn.takeEffects().map(({ what }) => `${label}: the second call repeated an effect: ${what}`),
  );
  return [];
}

export function checkDeclared({ standIn }: Bench): CheckResult {
  const faults = [...new Set(standIn.undeclared.map(({ service, message }) => `${service}: ${message}`))];
  return faults.length > 0 ? failed(faults) : passed("the connector used nothing else");
}

/** Reports secrets that leaked. Each secret was made for this test, so it cannot occur by chance. */
export function checkSecrets({ samples, said, standIn }: Bench): CheckResult {
  const secrets = Object.entries(samples.values.secrets).map(([name, secret]) => [name, secret.reveal()] as const);
  if (secrets.length === 0) return { skipped: "the connector has no secret settings" };
  const faults = secrets.flatMap(([name, secret]) => [
    ...([...said.into, ...standIn.answers].some((text) => text.includes(secret))
      ? [`the code could read ${name}`]
      : []),
    ...(said.out.some((text) => text.includes(secret)) ? [`${name} is in the code's log or response`] : []),
  ]);
  return faults.length > 0 ? failed(faults) : passed(secrets.map(([name]) => name).join(", "));
}

function wordsOf(end: Exclude<End, { ok: true }>): string {
  return end.kind === "threw" ? end.message : `${end.kind}: ${end.message}`;
}

export function passed(told: string): CheckResult {
  return { faults: [], told };
}

export function failed(faults: readonly string[]): CheckResult {
  return { faults: [...faults], told: "" };
}
