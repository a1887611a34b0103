import { onTestFinished } from "vitest";
import { callBackend } from "../runs/backend.ts";
import { contractOf } from "../contracts/contract.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { definitionOf } from "../contracts/definition.ts";
import type { ContractInput } from "../contracts/contracts.schemas.ts";
import { secretPlace, signingPlace } from "../storage/encryption-context.ts";
import {
  bucketOf,
  createIdMaker,
  createSealer,
  environmentOf,
  instant,
  newSigningSecret,
  newTag,
  systemClock,
  tagOf,
  toDate,
  wireId,
} from "../../lib/lib.ts";
import { createNet, parseAllowTargets } from "../../platform/outbound-http/outbound-http.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { BackendCall, CallOutcome } from "../runs/backend-call.ts";

const CONTRACT: ContractInput = {
  key: "test.action",
  label: "Test",
  surface: ["api"],
  roles: ["owner"],
  requires_confirmation: false,
  audit: true,
  params: { reason: { type: "string" } },
  endpoint: "http://127.0.0.1:9/",
};
const ids = createIdMaker(systemClock);
const sealer = createSealer(Buffer.alloc(32, 7));
const TAG = newTag();
const WORKSPACE = ids.uuid();

export interface Called {
  readonly outcome: CallOutcome;
  readonly call: BackendCall;
  readonly contract: CurrentContract;
  readonly signing: string;
}

export interface Way {
  /** The secret that `auth.secret_ref` names. */
  readonly secret?: string;
  /** The hosts that the secret may be sent to. */
  readonly hosts?: readonly string[];
  /** The previous signing secret, and the time that it remains valid, in milliseconds. */
  readonly previous?: { readonly secret: string; readonly forMs: number };
  readonly call?: Partial<BackendCall>;
  readonly sandbox?: boolean;
  /** The value of JUNCTION_ALLOW_TARGETS. */
  readonly allow?: string;
  /** The network of several calls, which can then share connections. */
  readonly net?: Net;
}

export function openNet(allow = "127.0.0.0/8"): Net {
  const net = createNet({ clock: systemClock, allow: parseAllowTargets(allow), inbox: null, dnsServers: null });
  onTestFinished(async () => await net.close());
  return net;
}

/** Calls a real backend under a contract that is not stored. */
export async function callOnce(more: Partial<ContractInput>, way: Way = {}): Promise<Called> {
  const net = way.net ?? openNet(way.allow);
  const tag = way.sandbox === true ? tagOf(TAG, "sandbox") : TAG;
  const scope = { workspaceId: WORKSPACE, tag, bucket: bucketOf(tag), environment: environmentOf(tag) };
  const signing = newSigningSecret().reveal();
  const contract = contractFor(more, { ...way, tag, signing });
  const call: BackendCall = {
    kind: "execute",
    scope,
    runId: wireId("run", tag, ids.uuid()),
    proposalId: wireId("prop", tag, ids.uuid()),
    tenant: null,
    parameters: { reason: "because" },
    actor: { type: "user", id: wireId("mem", TAG, ids.uuid()), display: "Ada" },
    requestedAt: instant(1_795_262_400_000),
    ...way.call,
  };
  const outcome = await callBackend(
    {
      handler: async () => await Promise.reject(new Error("no connector")),
      db: undefined as never,
      inboxes: { addressOf: async (_scope, url) => await Promise.resolve(url) },
      net,
      clock: systemClock,
      sealer,
    },
    contract,
    call,
  );
  return { outcome, call, contract, signing };
}

function contractFor(
  more: Partial<ContractInput>,
  {
    secret,
    hosts,
    previous,
    tag,
    signing,
  }: Way & { readonly tag: BackendCall["scope"]["tag"]; readonly signing: string },
): CurrentContract {
  const definition = definitionOf({ ...CONTRACT, ...more });
  const id = ids.uuid();
  const facts = {
    id,
    workspaceId: WORKSPACE,
    version: 1,
    sha256: "",
    environment: "live",
    author: { kind: "key", id },
    connectorKey: null,
    createdAt: systemClock.now(),
  } as const;
  const place = signingPlace(id);
  return {
    ...contractOf(facts, definition),
    signing: {
      secret_sealed: sealer.seal(signing, place),
      previous_secret_sealed: previous === undefined ? null : sealer.seal(previous.secret, place),
      previous_expires_at: previous === undefined ? null : toDate(instant(systemClock.now() + previous.forMs)),
    },
    authSecretSealed:
      secret === undefined ? null : sealer.seal(secret, secretPlace(tag, definition.auth.secret_ref ?? "")),
    authHosts: { hosts: hosts ?? null, any_host: true },
  };
}
