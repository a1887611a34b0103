import { Plus, X } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { usePortal } from "../../session/session.ts";
import { fieldMessage, useEventTypes } from "../../shared/shared.ts";
import { Button, IconButton, RadioGroup, TagInput, TextField } from "../../ui/ui.ts";

/** An endpoint as it is being written. */
export interface EndpointDraft {
  readonly kind: "webhook" | "pull";
  readonly url: string;
  readonly takes: "all" | "some";
  readonly events: readonly string[];
  readonly description: string;
  /** Cannot be changed later; empty for none. */
  readonly tenant: string;
  readonly headers: readonly HeaderDraft[];
  /** Digits; empty for no limit. */
  readonly rate: string;
  readonly inFlight: string;
  /** The ordering key; empty for no order. */
  readonly orderingKey: string;
  readonly onFailed: "block" | "skip";
}

interface HeaderDraft {
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** The service has a value that it does not show: it stays while the field is empty. */
  readonly isHidden: boolean;
}

/** Stands for a hidden value, in answers and in what is sent. */
const REDACTED = "[redacted]";

export const emptyDraft: EndpointDraft = {
  kind: "webhook",
  url: "",
  takes: "all",
  events: [],
  description: "",
  tenant: "",
  headers: [],
  rate: "",
  inFlight: "16",
  orderingKey: "",
  onFailed: "block",
};

/** The fields that show their own errors. */
export const draftPointers = [
  "/url",
  "/events",
  "/description",
  "/tenant",
  "/headers",
  "/rate_limit_per_second",
  "/max_in_flight",
  "/ordering",
];

export function draftOf(endpoint: wire.WebhookEndpoint): EndpointDraft {
  const takesAll = endpoint.events.length === 1 && endpoint.events[0] === "*";
  return {
    kind: endpoint.kind === "pull" ? "pull" : "webhook",
    url: endpoint.url ?? "",
    takes: takesAll ? "all" : "some",
    events: takesAll ? [] : endpoint.events,
    description: endpoint.description,
    tenant: endpoint.tenant ?? "",
    headers: Object.keys(endpoint.headers).map((name, key) => ({ key, name, value: "", isHidden: true })),
    rate: endpoint.rate_limit_per_second === null ? "" : String(endpoint.rate_limit_per_second),
    inFlight: String(endpoint.max_in_flight ?? ""),
    orderingKey: endpoint.ordering?.key ?? "",
    onFailed: endpoint.ordering?.on_failed === "skip" ? "skip" : "block",
  };
}

export function bodyOf(draft: EndpointDraft): wire.NewWebhookEndpoint {
  return { ...changeOf(draft), kind: draft.kind };
}

/** Returns the settings without the kind, which cannot be changed. */
export function changeOf(draft: EndpointDraft): Omit<wire.NewWebhookEndpoint, "kind"> {
  return {
    ...(draft.kind === "pull" ? {} : { url: draft.url.trim(), ...limitsOf(draft) }),
    events: draft.takes === "all" ? ["*"] : [...draft.events],
    description: draft.description,
    ...(draft.tenant.trim() === "" ? {} : { tenant: draft.tenant.trim() }),
    headers: Object.fromEntries(
      draft.headers
        .filter(({ name }) => name.trim() !== "")
        .map(({ name, value, isHidden }) => [name.trim(), isHidden && value === "" ? REDACTED : value]),
    ),
  };
}

function limitsOf({ rate, inFlight, orderingKey, onFailed }: EndpointDraft) {
  return {
    rate_limit_per_second: rate.trim() === "" ? null : Number(rate),
    max_in_flight: Number(inFlight),
    ordering: orderingKey.trim() === "" ? null : { key: orderingKey.trim(), on_failed: onFailed },
  };
}

export interface EndpointFieldsProps {
  readonly draft: EndpointDraft;
  readonly onChange: (draft: EndpointDraft) => void;
  readonly error: unknown;
  /** True for a new endpoint, whose URL field has the focus first. */
  readonly isNew?: boolean;
}

/** Shows the fields of an endpoint, each with the service's message about it. */
export function EndpointFields({ draft, onChange, error, isNew = false }: EndpointFieldsProps) {
  const types = useEventTypes();
  const isPortal = usePortal() !== undefined;
  const change = (part: Partial<EndpointDraft>) => onChange({ ...draft, ...part });
  return (
    <div className="flex flex-col gap-4">
      {isNew ? <KindField kind={draft.kind} onChange={(kind) => change({ kind })} /> : null}
      {draft.kind === "pull" ? null : (
        <TextField
          label="URL"
          description="A public https URL that accepts POST requests."
          placeholder="https://example.com/webhooks"
          value={draft.url}
          onChange={(url) => change({ url })}
          isRequired
          autoFocus={isNew}
          mono
          error={fieldMessage(error, "/url")}
        />
      )}
      <RadioGroup
        label="Event types"
        value={draft.takes}
        onChange={(takes) => change({ takes })}
        options={[
          {
            value: "all",
            label: "All event types",
            detail: isPortal
              ? "Includes event types added later."
              : "Includes event types added later. System events must be selected by name.",
          },
          {
            value: "some",
            label: "Selected event types",
            detail: "Select them by name, or by a prefix such as order.*.",
          },
        ]}
        {...(draft.takes === "all" ? { error: fieldMessage(error, "/events") } : {})}
      />
      {draft.takes === "all" ? null : (
        <TagInput
          label="Selected event types"
          values={draft.events}
          onChange={(events) => change({ events })}
          suggestions={types.options}
          placeholder={types.all[0]?.name ?? "order.created"}
          error={fieldMessage(error, "/events")}
        />
      )}
      <TextField
        label="Description"
        description="What receives the events, and who is responsible."
        value={draft.description}
        onChange={(description) => change({ description })}
        isRequired={false}
        error={fieldMessage(error, "/description")}
      />
      {isNew && !isPortal ? (
        <TextField
          label="Tenant"
          description="Your customer, by your own ID, whose events the endpoint gets. Leave empty for the events of all. It can't be changed later."
          value={draft.tenant}
          onChange={(tenant) => change({ tenant })}
          isRequired={false}
          mono
          placeholder="acme"
          error={fieldMessage(error, "/tenant")}
        />
      ) : null}
      <HeaderFields
        headers={draft.headers}
        onChange={(headers) => change({ headers })}
        error={fieldMessage(error, "/headers")}
      />
      {draft.kind === "pull" ? null : (
        <>
          <LimitFields draft={draft} change={change} error={error} />
          <OrderFields draft={draft} change={change} error={fieldMessage(error, "/ordering")} />
        </>
      )}
    </div>
  );
}

function KindField({
  kind,
  onChange,
}: {
  readonly kind: EndpointDraft["kind"];
  readonly onChange: (kind: EndpointDraft["kind"]) => void;
}) {
  // The portal's sessions cannot pull.
  if (usePortal() !== undefined) return null;
  return (
    <RadioGroup
      label="Kind"
      value={kind}
      onChange={onChange}
      options={[
        { value: "webhook", label: "Webhook", detail: "Requests are sent to an address." },
        { value: "pull", label: "Pull", detail: "Programs pull the messages in order, at their own pace." },
      ]}
    />
  );
}

interface LimitFieldsProps {
  readonly draft: EndpointDraft;
  readonly change: (part: Partial<EndpointDraft>) => void;
  readonly error: unknown;
}

function LimitFields({ draft, change, error }: LimitFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Rate limit (attempts per second)"
        description="Leave empty for no limit."
        inputMode="numeric"
        isRequired={false}
        value={draft.rate}
        onChange={(rate) => change({ rate })}
        error={fieldMessage(error, "/rate_limit_per_second")}
      />
      <TextField
        label="Maximum concurrent attempts"
        description="Attempts that can run at the same time."
        inputMode="numeric"
        value={draft.inFlight}
        onChange={(inFlight) => change({ inFlight })}
        error={fieldMessage(error, "/max_in_flight")}
      />
    </div>
  );
}

interface OrderFieldsProps {
  readonly draft: EndpointDraft;
  readonly change: (part: Partial<EndpointDraft>) => void;
  readonly error: string | undefined;
}

function OrderFields({ draft, change, error }: OrderFieldsProps) {
  const isPortal = usePortal() !== undefined;
  return (
    <>
      <TextField
        label="Ordering key"
        description={`Deliveries with the same key are sent one at a time, in order: a path such as $.data.order.id, or ${isPortal ? "endpoint" : "subject, tenant or endpoint"}. Leave empty for no order.`}
        value={draft.orderingKey}
        onChange={(orderingKey) => change({ orderingKey })}
        isRequired={false}
        mono
        placeholder="$.data.order.id"
        error={error}
      />
      {draft.orderingKey.trim() === "" ? null : (
        <RadioGroup
          label="When a delivery has failed"
          value={draft.onFailed}
          onChange={(onFailed) => change({ onFailed })}
          options={[
            {
              value: "block",
              label: "Wait",
              detail: "Later deliveries with its key wait until it is retried or skipped.",
            },
            { value: "skip", label: "Continue", detail: "The next delivery with its key is sent." },
          ]}
        />
      )}
    </>
  );
}

interface HeaderFieldsProps {
  readonly headers: readonly HeaderDraft[];
  readonly onChange: (headers: readonly HeaderDraft[]) => void;
  readonly error: string | undefined;
}

function HeaderFields({ headers, onChange, error }: HeaderFieldsProps) {
  const change = (key: number, part: Partial<HeaderDraft>) =>
    onChange(headers.map((header) => (header.key === key ? { ...header, ...part } : header)));
  const next = Math.max(0, ...headers.map((header) => header.key + 1));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-sm font-medium">
        Custom headers <span className="font-normal text-faint">(optional)</span>
      </legend>
      {headers.some(({ isHidden }) => isHidden) ? (
        <p className="text-xs text-muted">
          Stored values are hidden. Leave a value empty to keep it. If you change the URL, enter the values again.
        </p>
      ) : null}
      {headers.map(({ key, name, value, isHidden }, place) => (
        <div key={key} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-end gap-2">
          <TextField
            label={`Header ${place + 1}`}
            value={name}
            onChange={(text) => change(key, { name: text })}
            mono
            placeholder="Authorization"
          />
          <TextField
            label={`Value ${place + 1}`}
            value={value}
            onChange={(text) => change(key, { value: text })}
            mono
            placeholder={isHidden ? "Hidden" : ""}
          />
          <IconButton
            label={`Remove header ${place + 1}`}
            onPress={() => onChange(headers.filter((one) => one.key !== key))}
          >
            <X aria-hidden size={15} />
          </IconButton>
        </div>
      ))}
      {error === undefined ? null : (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
      <div>
        <Button
          size="sm"
          icon={<Plus aria-hidden size={14} />}
          onPress={() => onChange([...headers, { key: next, name: "", value: "", isHidden: false }])}
        >
          Add header
        </Button>
      </div>
    </fieldset>
  );
}
