import type { wire } from "../../api/api.ts";
import type { Fault, ProblemAt } from "../../shared/shared.ts";
import { valueOf } from "./values.ts";

/** A parameter as it stands in the form. */
export interface ParameterDraft {
  /** Key for React's list. */
  readonly key: string;
  readonly name: string;
  readonly type: wire.ActionParameterType;
  readonly isRequired: boolean;
  readonly isSensitive: boolean;
  readonly min: string;
  readonly max: string;
  readonly values: readonly string[];
  readonly description: string;
}

/** A contract as it stands in the form; "" stands for no value. */
export interface ContractDraft {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly risk: wire.PreviewRisk;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly audit: boolean;
  readonly params: readonly ParameterDraft[];
  readonly surface: readonly string[];
  readonly roles: readonly string[];
  readonly scope: string;
  readonly permission: string;
  readonly isConfirmed: boolean;
  readonly approvers: readonly string[];
  readonly fourEyes: boolean;
  readonly approvals: string;
  readonly expires: string;
  readonly allowRule: readonly string[];
  readonly endpoint: string;
  readonly sandboxEndpoint: string;
  readonly delivery: wire.ActionContractDelivery;
  readonly timeout: string;
  readonly authType: wire.ActionAuthType;
  readonly secretRef: string;
  readonly header: string;
  readonly undoEndpoint: string;
  readonly undoWindow: string;
  /** Treatment of a 2xx response without JSON: failure or success. */
  readonly notJson: "refused" | "taken";
  readonly successPath: string;
  /** The JSON value that the text spells, or else the text itself. */
  readonly successEquals: string;
  readonly resultPath: string;
  readonly errorPath: string;
  readonly expose: readonly string[];
}

/** Props of each part of the form. */
export interface PartProps {
  readonly draft: ContractDraft;
  readonly change: (part: Partial<ContractDraft>) => void;
  /** Problems at pointers from the contract on. */
  readonly problems: ProblemAt;
}

let made = 0;

export function newParameter(): ParameterDraft {
  made += 1;
  return {
    key: `parameter-${made}`,
    name: "",
    type: "string",
    isRequired: true,
    isSensitive: false,
    min: "",
    max: "",
    values: [],
    description: "",
  };
}

export function newContractDraft(): ContractDraft {
  return {
    key: "",
    label: "",
    description: "",
    risk: "low",
    destructive: false,
    idempotent: false,
    audit: true,
    params: [],
    surface: ["api", "console", "assistant"],
    roles: ["owner", "admin", "operator"],
    scope: "",
    permission: "",
    isConfirmed: true,
    approvers: ["owner", "admin"],
    fourEyes: false,
    approvals: "1",
    expires: "86400",
    allowRule: [],
    endpoint: "",
    sandboxEndpoint: "",
    delivery: "sync",
    timeout: "10000",
    authType: "none",
    secretRef: "",
    header: "",
    undoEndpoint: "",
    undoWindow: "86400",
    notJson: "refused",
    successPath: "",
    successEquals: "",
    resultPath: "",
    errorPath: "",
    expose: [],
  };
}

export function draftOfContract(contract: wire.ActionContract): ContractDraft {
  const { approval } = contract;
  return {
    key: contract.key,
    label: contract.label,
    description: contract.description,
    risk: contract.risk,
    destructive: contract.destructive,
    idempotent: contract.idempotent,
    audit: contract.audit,
    params: Object.entries(contract.params).map(([name, parameter]) => draftOfParameter(name, parameter)),
    surface: contract.surface,
    roles: contract.roles,
    scope: contract.scope ?? "",
    permission: contract.permission ?? "",
    isConfirmed: contract.requires_confirmation,
    approvers: approval.approver_roles,
    fourEyes: approval.four_eyes,
    approvals: String(approval.required),
    expires: String(approval.expires_in_seconds),
    allowRule: approval.allow_rule,
    ...backendOf(contract),
  };
}

function backendOf(contract: wire.ActionContract) {
  const { auth, undo } = contract;
  return {
    endpoint: contract.endpoint,
    sandboxEndpoint: contract.sandbox_endpoint ?? "",
    delivery: contract.delivery,
    timeout: String(contract.timeout_ms),
    authType: auth.type,
    secretRef: auth.secret_ref ?? "",
    header: auth.header ?? "",
    undoEndpoint: undo?.endpoint ?? "",
    undoWindow: String(undo?.window_seconds ?? newContractDraft().undoWindow),
    ...answerOf(contract.response),
  };
}

function answerOf(response: wire.ActionContract["response"]) {
  const success = response.success_when ?? null;
  return {
    notJson: response.json ? ("refused" as const) : ("taken" as const),
    successPath: success?.path ?? "",
    successEquals: success === null ? "" : valueText(success.equals),
    resultPath: response.result_path ?? "",
    errorPath: response.error_path ?? "",
    expose: response.expose ?? [],
  };
}

/** Returns the contract as the API accepts it, and the faults that prevent sending it. */
export function contractOf(draft: ContractDraft): {
  readonly body: wire.NewActionContract;
  readonly faults: readonly Fault[];
} {
  const { required, window, expires, timeout, faults } = numbersOf(draft);
  return {
    body: {
      key: draft.key.trim(),
      label: draft.label.trim(),
      description: draft.description,
      risk: draft.risk,
      destructive: draft.destructive,
      idempotent: draft.idempotent,
      audit: draft.audit,
      params: Object.fromEntries(draft.params.map((parameter) => [parameter.name.trim(), parameterOf(parameter)])),
      surface: [...draft.surface] as wire.NewActionContract["surface"],
      roles: [...draft.roles] as wire.NewActionContract["roles"],
      scope: orNull(draft.scope),
      permission: orNull(draft.permission),
      requires_confirmation: draft.isConfirmed,
      approval: {
        approver_roles: [...draft.approvers] as NonNullable<wire.ActionApproval["approver_roles"]>,
        four_eyes: draft.fourEyes,
        required,
        expires_in_seconds: expires,
        allow_rule: [...draft.allowRule],
      },
      endpoint: draft.endpoint.trim(),
      sandbox_endpoint: orNull(draft.sandboxEndpoint),
      delivery: draft.delivery,
      timeout_ms: timeout,
      auth: authOf(draft),
      undo: draft.undoEndpoint.trim() === "" ? null : { endpoint: draft.undoEndpoint.trim(), window_seconds: window },
      response: responseOf(draft),
    },
    faults: [...faults, ...nameFaults(draft.params)],
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

function draftOfParameter(name: string, parameter: wire.ActionParameter): ParameterDraft {
  return {
    ...newParameter(),
    name,
    type: parameter.type,
    isRequired: parameter.required === true,
    isSensitive: parameter.sensitive === true,
    min: String(parameter.min ?? ""),
    max: String(parameter.max ?? ""),
    values: parameter.enum?.map(String) ?? [],
    description: parameter.description ?? "",
  };
}

/** Returns a parameter as the API accepts it. A bound that is not a number is sent as written, so that the service reports it. */
function parameterOf({ type, ...draft }: ParameterDraft): wire.ActionParameter {
  return {
    type,
    ...(draft.isRequired ? { required: true } : {}),
    ...(draft.isSensitive ? { sensitive: true } : {}),
    ...(type === "boolean" ? {} : limitsOf(type, draft)),
    ...(draft.description === "" ? {} : { description: draft.description }),
  };
}

function limitsOf(type: string, { min, max, values }: Omit<ParameterDraft, "type">): Partial<wire.ActionParameter> {
  const bound = (text: string): number => valueOf("number", text) as number;
  return {
    ...(min.trim() === "" ? {} : { min: bound(min) }),
    ...(max.trim() === "" ? {} : { max: bound(max) }),
    ...(values.length === 0 ? {} : { enum: values.map((text) => valueOf(type, text)) }),
  };
}

function authOf({ authType, secretRef, header }: ContractDraft): wire.ActionAuth {
  if (authType === "none") return { type: authType };
  return {
    type: authType,
    secret_ref: orNull(secretRef),
    ...(authType === "api_key" ? { header: orNull(header) } : {}),
  };
}

function responseOf(draft: ContractDraft): wire.ActionResponse {
  const path = orNull(draft.successPath);
  return {
    json: draft.notJson === "refused",
    success_when: path === null ? null : { path, equals: spelled(draft.successEquals) },
    result_path: orNull(draft.resultPath),
    error_path: orNull(draft.errorPath),
    expose: draft.expose.length === 0 ? null : [...draft.expose],
  };
}

function numbersOf(draft: ContractDraft) {
  const texts = {
    "/approval/required": draft.approvals,
    "/approval/expires_in_seconds": draft.expires,
    "/timeout_ms": draft.timeout,
    "/undo/window_seconds": draft.undoEndpoint.trim() === "" ? "1" : draft.undoWindow,
  };
  return {
    required: Number(draft.approvals),
    expires: Number(draft.expires),
    timeout: Number(draft.timeout),
    window: Number(draft.undoWindow),
    faults: Object.entries(texts)
      .filter(([, text]) => !/^\d+$/.test(text.trim()))
      .map(([pointer]) => ({ pointer, message: "Enter a whole number." })),
  };
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

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}

function spelled(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function valueText(value: unknown): string {
  return typeof value === "string" && spelled(value) === value ? value : JSON.stringify(value);
}
