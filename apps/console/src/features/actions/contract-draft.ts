import type { wire } from "../../api/api.ts";
import { newKey, readValue, valueText } from "../../shared/shared.ts";
import type { Fault, ProblemAt } from "../../shared/shared.ts";
import { trimmed, wholeNumberFaults } from "../../ui/ui.ts";
import type { WireFields } from "../../ui/ui.ts";
import { valueOf } from "./values.ts";

/** A parameter while it is edited. Its bounds and values are texts, because its type can change. */
export interface ParameterDraft extends Omit<wire.ActionParameter, "min" | "max" | "enum"> {
  /** Key for React's list. */
  readonly key: string;
  readonly name: string;
  readonly min: string;
  readonly max: string;
  readonly enum: readonly string[];
}

/** The members of a contract that have fields. Without an address, `undo` stands for null. */
type Body = Pick<wire.ActionContract, Exclude<keyof wire.NewActionContract, "params" | "undo" | "reversible">> & {
  readonly undo: wire.ActionContractUndo;
};

/** A contract while it is edited. */
export interface ContractDraft {
  readonly body: Body;
  readonly params: readonly ParameterDraft[];
  /** The expected value: the JSON value that the text spells, or else the text itself. */
  readonly equals: string;
}

/** Props of each part of the form. */
export interface PartProps {
  readonly draft: ContractDraft;
  readonly change: (part: Partial<ContractDraft>) => void;
  readonly fields: WireFields<Body>;
  /** Problems at pointers from the contract on. */
  readonly problems: ProblemAt;
}

const NEW: Body = {
  key: "",
  label: "",
  description: "",
  risk: "low",
  destructive: false,
  idempotent: false,
  audit: true,
  surface: ["api", "console", "assistant"],
  roles: ["owner", "admin", "operator"],
  scope: null,
  permission: null,
  requires_confirmation: true,
  approval: {
    approver_roles: ["owner", "admin"],
    four_eyes: false,
    required: 1,
    expires_in_seconds: 86_400,
    allow_rule: [],
  },
  endpoint: "",
  sandbox_endpoint: null,
  delivery: "sync",
  timeout_ms: 10_000,
  auth: { type: "none", secret_ref: null, header: null },
  undo: { endpoint: "", window_seconds: 86_400 },
  response: { json: true, success_when: null, result_path: null, error_path: null, expose: null },
};

export function newParameter(): ParameterDraft {
  return { key: newKey(), name: "", type: "string", required: true, min: "", max: "", enum: [] };
}

export function newContractDraft(): ContractDraft {
  return { body: NEW, params: [], equals: "" };
}

export function draftOfContract(contract: wire.ActionContract): ContractDraft {
  const members = Object.keys(NEW).map((name) => [name, contract[name as keyof Body]]);
  return {
    body: { ...(Object.fromEntries(members) as Body), undo: contract.undo ?? NEW.undo },
    params: Object.entries(contract.params).map(([name, parameter]) => ({
      ...parameter,
      key: newKey(),
      name,
      min: String(parameter.min ?? ""),
      max: String(parameter.max ?? ""),
      enum: parameter.enum?.map(String) ?? [],
    })),
    equals: valueText(contract.response.success_when?.equals),
  };
}

/** Returns the contract as the API accepts it, and the faults that prevent sending it. */
export function contractOf({ body: typed, params, equals }: ContractDraft): {
  readonly body: wire.NewActionContract;
  readonly faults: readonly Fault[];
} {
  const body = trimmed(typed, ["/key", "/label", "/scope", "/permission", "/endpoint", "/sandbox_endpoint"]);
  const undo = trimmed(body.undo, ["/endpoint"]);
  const auth = trimmed(body.auth, ["/secret_ref", "/header"]);
  const response = trimmed(body.response, ["/result_path", "/error_path", "/success_when/path"]);
  const { path = "" } = response.success_when ?? {};
  return {
    body: {
      ...body,
      params: Object.fromEntries(params.map((parameter) => [parameter.name.trim(), parameterOf(parameter)])),
      undo: undo.endpoint === "" ? null : undo,
      auth: authOf(auth),
      response: {
        ...response,
        success_when: path === "" ? null : { path, equals: readValue(equals) },
        expose: response.expose?.length === 0 ? null : response.expose,
      },
    },
    faults: [
      ...wholeNumberFaults(body, ["/approval/required", "/approval/expires_in_seconds", "/timeout_ms"]),
      ...(undo.endpoint === "" ? [] : wholeNumberFaults(body, ["/undo/window_seconds"])),
      ...nameFaults(params),
    ],
  };
}

/** Returns only the members that differ. Members that the form does not know stay as they are. */
export function changeOf(saved: wire.ActionContract, draft: ContractDraft): wire.ActionContractChange {
  const before = contractOf(draftOfContract(saved)).body as unknown as Record<string, unknown>;
  const { key: _key, ...now } = contractOf(draft).body;
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}

/** Returns a name as a step of a JSON pointer. */
export function step(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns a parameter as the API accepts it. A bound that is not a number is sent as written, so that the service reports it. */
function parameterOf({ type, required, sensitive, min, max, enum: choices, description = "" }: ParameterDraft) {
  const bound = (name: "min" | "max", text: string) =>
    text.trim() === "" ? {} : { [name]: valueOf("number", text) as number };
  const values = { enum: choices.map((text) => valueOf(type, text)) };
  const limits = { ...bound("min", min), ...bound("max", max), ...(choices.length > 0 ? values : {}) };
  return {
    type,
    ...(required === true ? { required } : {}),
    ...(sensitive === true ? { sensitive } : {}),
    ...(type === "boolean" ? {} : limits),
    ...(description === "" ? {} : { description }),
  };
}

function authOf({ type, secret_ref, header }: wire.ActionContractAuth): wire.ActionAuth {
  if (type === "none") return { type };
  return { type, secret_ref, ...(type === "api_key" ? { header } : {}) };
}

function nameFaults(params: readonly ParameterDraft[]): Fault[] {
  const names = params.map(({ name }) => name.trim());
  return names.flatMap((name, at) => {
    if (name === "") return [{ pointer: "/params/", message: "Enter a name for the parameter." }];
    return names.indexOf(name) < at
      ? [{ pointer: `/params/${step(name)}`, message: `Two parameters are named ${name}. Rename one of them.` }]
      : [];
  });
}
