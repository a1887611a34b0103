import type { Pinned, Pins } from "../registry/connectors.ts";
import { normalizeEmail, MAX_EXTERNAL_ID, MAX_SUBJECT } from "../../contacts/contacts.ts";
import type {
  AskedCustomer,
  ExternalDirectory,
  FoundCustomer,
  FoundTicket,
  ProviderResult,
} from "../../contacts/contacts.ts";
import type { Json } from "../../lib/lib.ts";
import { isRecord, withTimeout } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Calling } from "./invoke-hook.ts";
import type { HookRequest } from "./context.ts";

export interface ProvidersDeps {
  readonly pins: Pick<Pins, "all">;
  readonly calling: Pick<Calling, "callPinned">;
}

const DEADLINE_MS = 800;
const MAX_CONTEXT_BYTES = 64 * 1024;
const MAX_TICKETS = 100;
const MAX_WORD = 64;
/** The context provider that returns tickets. */
const TICKETS = "tickets";

type Answer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly code: "timeout" | "failed" | "too_large"; readonly message: string };

interface Provider {
  readonly pinned: Pinned;
  readonly name: string;
}

/**
 * Returns the data that connectors provide about contacts. All providers are called at the same time, with a short
 * deadline.
 */
export function createProviders({ pins, calling }: ProvidersDeps): ExternalDirectory {
  const ask = async ({ pinned, name }: Provider, question: Pick<HookRequest, "hook" | "args">): Promise<Answer> => {
    const asking = calling.callPinned(pinned, {
      ...question,
      scope: pinned.scope,
      key: pinned.key,
      name,
      deadlineMs: DEADLINE_MS,
      event: null,
      cause: null,
      chain: [],
      tenant: null,
    });
    const end = await withTimeout(asking, DEADLINE_MS);
    if (end === undefined)
      return { ok: false, code: "timeout", message: `The provider did not respond within ${DEADLINE_MS} ms.` };
    if (end.ok) return end;
    const code = end.kind === "deadline" || end.code === "timeout" ? "timeout" : "failed";
    return { ok: false, code, message: end.message };
  };
  return {
    async context(scope, customer) {
      const providers = await contextProviders(pins, scope);
      const answers = await Promise.all(
        providers.map(async (one) => bounded(await ask(one, { hook: "context", args: [customerFact(customer)] }))),
      );
      const byKey = Map.groupBy(
        providers.map((one, at) => ({ ...one, shown: shownOf(answers[at]) })),
        ({ pinned }) => pinned.key,
      );
      return Object.fromEntries(
        [...byKey].map(([key, ones]) => [key, Object.fromEntries(ones.map(({ name, shown }) => [name, shown]))]),
      );
    },
    async identify(scope, provider, identifier) {
      const asked = (await pins.all(scope))
        .filter(({ version }) => version.description.identity_providers.includes(provider))
        .map((pinned) => ({ pinned, name: provider }));
      const answers = await Promise.all(
        asked.map(async (one) => await ask(one, { hook: "identity", args: [identifier] })),
      );
      const found = answers.flatMap((answer) => (answer.ok ? identityOf(answer.value) : []));
      return { found, told: asked.map((one, at) => toldOf(one, answers[at])) };
    },
    async tickets(scope, customer) {
      const asked = (await contextProviders(pins, scope)).filter(({ name }) => name === TICKETS);
      const answers = await Promise.all(
        asked.map(async (one) => ticketsAnswer(await ask(one, { hook: "context", args: [customerFact(customer)] }))),
      );
      const tickets = answers.flatMap((answer) => (answer.ok ? ticketsOf(answer.value) : []));
      const byId = new Map(tickets.map((ticket) => [ticket.externalId, ticket]));
      return { tickets: [...byId.values()], told: asked.map((one, at) => toldOf(one, answers[at])) };
    },
  };
}

async function contextProviders(pins: Pick<Pins, "all">, scope: Scope): Promise<Provider[]> {
  const running = await pins.all(scope);
  return running.flatMap((pinned) => pinned.version.description.context_providers.map((name) => ({ pinned, name })));
}

function customerFact({ id, external_ids, email, name, phone }: AskedCustomer): Json {
  return { id, external_ids, email, name, phone };
}

function bounded(answer: Answer): Answer {
  if (!answer.ok || Buffer.byteLength(JSON.stringify(answer.value)) <= MAX_CONTEXT_BYTES) return answer;
  return { ok: false, code: "too_large", message: "The provider's response is larger than 64 KiB." };
}

function shownOf(answer: Answer | undefined): unknown {
  if (answer === undefined) return null;
  return answer.ok ? answer.value : { error: { code: answer.code, message: answer.message } };
}

function toldOf({ pinned, name }: Provider, answer: Answer | undefined): ProviderResult {
  const isGood = answer?.ok === true;
  return {
    connector: pinned.key,
    provider: name,
    status: isGood ? "ok" : "failed",
    error: answer === undefined || answer.ok ? null : answer.message,
  };
}

function identityOf(value: Json): FoundCustomer[] {
  if (!isRecord(value)) return [];
  const { external_id: externalId, email } = value;
  const found = {
    externalId: typeof externalId === "string" && externalId.length <= MAX_EXTERNAL_ID ? externalId : undefined,
    email: typeof email === "string" ? normalizeEmail(email) : undefined,
  };
  return found.externalId === undefined && found.email === undefined ? [] : [found];
}

/** Accepts a list, or `{tickets: […]}`. */
function ticketsAnswer(answer: Answer): Answer {
  if (!answer.ok || listOf(answer.value) !== undefined) return answer;
  return { ok: false, code: "failed", message: "The provider must return a list of tickets." };
}

function listOf(value: Json): readonly unknown[] | undefined {
  const list = isRecord(value) ? value["tickets"] : value;
  return Array.isArray(list) ? list : undefined;
}

/** Returns the valid tickets and leaves out other items. */
function ticketsOf(value: Json): FoundTicket[] {
  return (listOf(value) ?? []).slice(0, MAX_TICKETS).flatMap((one) => {
    if (!isRecord(one)) return [];
    const externalId = one["external_id"] ?? one["id"];
    const id = typeof externalId === "number" ? String(externalId) : externalId;
    if (typeof id !== "string" || id === "" || id.length > MAX_EXTERNAL_ID || !isPlain(id)) return [];
    return [
      {
        externalId: id,
        subject: answerText(one["subject"], MAX_SUBJECT),
        status: answerText(one["status"], MAX_WORD) ?? undefined,
        priority: answerText(one["priority"], MAX_WORD),
        assignee: answerText(one["assignee"], 254),
      },
    ];
  });
}

function answerText(value: unknown, most: number): string | null | undefined {
  if (value === null) return null;
  return typeof value === "string" && value !== ""
    ? value.slice(0, most).replaceAll("\u0000", "").toWellFormed()
    : undefined;
}

function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}
