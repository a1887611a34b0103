import { Plus, X } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { usePortal } from "../../session/session.ts";
import { fieldMessage, useEventTypes } from "../../shared/shared.ts";
import { bindFields, Button, IconButton, RadioGroup, TagInput, TextField, trimmed } from "../../ui/ui.ts";
import type { WireFields } from "../../ui/ui.ts";
import { destinationDraftOf, destinationOf, isBrokerKind, KINDS, NO_DESTINATION } from "./destination-draft.ts";
import type { DestinationDraft } from "./destination-draft.ts";
import { DestinationFields } from "./destination-fields.tsx";

/** The members of an endpoint that have fields of their own. */
type Settings = Pick<
  wire.WebhookEndpoint,
  "kind" | "events" | "description" | "rate_limit_per_second" | "max_in_flight"
>;

/** An endpoint while it is edited. */
export interface EndpointDraft extends Settings {
  readonly url: string;
  readonly destination: DestinationDraft;
  readonly takes: "all" | "some";
  /** Cannot be changed later; empty for none. */
  readonly tenant: string;
  readonly headers: readonly HeaderDraft[];
  /** Without a key, there is no order. */
  readonly ordering: wire.WebhookEndpointOrdering;
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

const NO_ORDER: wire.WebhookEndpointOrdering = { key: "", on_failed: "block" };

export const emptyDraft: EndpointDraft = {
  kind: "webhook",
  url: "",
  destination: NO_DESTINATION,
  takes: "all",
  events: [],
  description: "",
  tenant: "",
  headers: [],
  rate_limit_per_second: null,
  max_in_flight: 16,
  ordering: NO_ORDER,
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
  const { kind, events, description, rate_limit_per_second, max_in_flight, headers } = endpoint;
  const takesAll = events.length === 1 && events[0] === "*";
  return {
    kind,
    url: endpoint.url ?? "",
    destination: destinationDraftOf(endpoint),
    takes: takesAll ? "all" : "some",
    events: takesAll ? [] : events,
    description,
    tenant: endpoint.tenant ?? "",
    headers: Object.keys(headers).map((name, key) => ({ key, name, value: "", isHidden: true })),
    rate_limit_per_second,
    max_in_flight,
    ordering: endpoint.ordering ?? NO_ORDER,
  };
}

export function bodyOf(draft: EndpointDraft): wire.NewWebhookEndpoint {
  return { ...changeOf(draft), kind: draft.kind };
}

/** Returns the settings without the kind, which cannot be changed. */
export function changeOf(draft: EndpointDraft): Omit<wire.NewWebhookEndpoint, "kind"> {
  const { kind, url, tenant, rate_limit_per_second, max_in_flight, ordering } = trimmed(draft, [
    "/url",
    "/tenant",
    "/ordering/key",
  ]);
  const limits = { rate_limit_per_second, max_in_flight: max_in_flight ?? 0 };
  const place = isBrokerKind(kind) ? { destination: destinationOf(kind, draft.destination) } : { url };
  return {
    ...(kind === "pull" ? {} : { ...place, ...limits, ordering: ordering.key === "" ? null : ordering }),
    events: draft.takes === "all" ? ["*"] : draft.events,
    description: draft.description,
    ...(tenant === "" ? {} : { tenant }),
    headers: Object.fromEntries(
      draft.headers
        .filter(({ name }) => name.trim() !== "")
        .map(({ name, value, isHidden }) => [name.trim(), isHidden && value === "" ? REDACTED : value]),
    ),
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
  const problem = (pointer: string) => fieldMessage(error, pointer);
  const fields = bindFields({ value: draft, change: onChange, problem });
  return (
    <div className="flex flex-col gap-4">
      {isNew ? <KindField {...fields.choice("/kind")} /> : null}
      {isBrokerKind(draft.kind) && !isPortal ? (
        <DestinationFields
          kind={draft.kind}
          draft={draft.destination}
          onChange={fields.choice("/destination").onChange}
          problem={problem}
        />
      ) : null}
      {draft.kind !== "webhook" ? null : (
        <TextField
          label="URL"
          description="A public https URL that accepts POST requests."
          placeholder="https://example.com/webhooks"
          {...fields.text("/url")}
          isRequired
          autoFocus={isNew}
          mono
        />
      )}
      <RadioGroup
        label="Event types"
        {...fields.choice("/takes")}
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
        error={draft.takes === "all" ? problem("/events") : undefined}
      />
      {draft.takes === "all" ? null : (
        <TagInput
          label="Selected event types"
          {...fields.tags("/events")}
          suggestions={types.options}
          placeholder={types.all[0]?.name ?? "order.created"}
        />
      )}
      <TextField
        label="Description"
        description="What receives the events, and who is responsible."
        {...fields.text("/description")}
        isRequired={false}
      />
      {isNew && !isPortal ? (
        <TextField
          label="Tenant"
          description="Your customer, by your own ID, whose events the endpoint gets. Leave empty for the events of all. It can't be changed later."
          {...fields.text("/tenant")}
          isRequired={false}
          mono
          placeholder="acme"
        />
      ) : null}
      <HeaderFields headers={draft.headers} onChange={fields.choice("/headers").onChange} error={problem("/headers")} />
      {draft.kind === "pull" ? null : (
        <>
          <LimitFields fields={fields} />
          <OrderFields fields={fields} error={problem("/ordering")} />
        </>
      )}
    </div>
  );
}

function KindField(props: { readonly value: string; readonly onChange: (kind: string) => void }) {
  // The portal's sessions cannot pull.
  if (usePortal() !== undefined) return null;
  return (
    <RadioGroup
      {...props}
      label="Kind"
      options={[
        { value: "webhook", label: "Webhook", detail: "Requests are sent to an address." },
        { value: "pull", label: "Pull", detail: "Programs pull the messages in order, at their own pace." },
        ...Object.entries(KINDS).map(([value, { label }]) => ({ value, label, detail: "Messages go to a broker." })),
      ]}
    />
  );
}

interface PartProps {
  readonly fields: WireFields<EndpointDraft>;
}

function LimitFields({ fields }: PartProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Rate limit (attempts per second)"
        description="Leave empty for no limit."
        isRequired={false}
        {...fields.whole("/rate_limit_per_second", null)}
      />
      <TextField
        label="Maximum concurrent attempts"
        description="Attempts that can run at the same time."
        {...fields.whole("/max_in_flight")}
      />
    </div>
  );
}

function OrderFields({ fields, error }: PartProps & { readonly error: string | undefined }) {
  const key = fields.text("/ordering/key");
  const isPortal = usePortal() !== undefined;
  return (
    <>
      <TextField
        label="Ordering key"
        description={`Deliveries with the same key are sent one at a time, in order: a path such as $.data.order.id, or ${isPortal ? "endpoint" : "subject, tenant or endpoint"}. Leave empty for no order.`}
        {...key}
        isRequired={false}
        mono
        placeholder="$.data.order.id"
        error={error}
      />
      {key.value.trim() === "" ? null : (
        <RadioGroup
          label="When a delivery has failed"
          {...fields.choice("/ordering/on_failed")}
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
