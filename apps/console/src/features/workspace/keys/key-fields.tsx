import { useState } from "react";
import type { wire } from "../../../api/api.ts";
import { Button, fieldError, optionsOf, RadioGroup, Select, Switch, TagInput, TextField } from "../../../ui/ui.ts";
import type { KeyDraft } from "./key-draft.ts";
import { isPattern, patternsFor } from "./rights.ts";

export interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
  readonly role: wire.Role | undefined;
  readonly error: unknown;
}

const MODES = [
  { value: "all", label: "All", detail: "Reads and writes everything that its role allows" },
  { value: "read_only", label: "Read only", detail: "Write operations are denied" },
  { value: "restricted", label: "Restricted", detail: "Everything except the operations that you block" },
];
const ACTORS = [
  { value: "service", label: "Program", detail: "Acts as itself" },
  { value: "user", label: "You", detail: "Has your current role, and can approve proposals" },
  { value: "ai", label: "AI", detail: "Requests actions that people approve" },
];
const ROLES = optionsOf(["admin", "developer", "operator", "viewer"]);
const EXPIRIES = [
  { value: "", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

export function KeyFields({ draft, onChange, role, error }: KeyFieldsProps) {
  const [showsMore, setShowsMore] = useState(false);
  const change = (part: Partial<KeyDraft>): void => onChange({ ...draft, ...part });
  return (
    <>
      <TextField
        label="Name"
        description="What the key is used for."
        isRequired
        autoFocus
        value={draft.name}
        onChange={(name) => change({ name })}
        {...fieldError(error, "/name")}
      />
      <RadioGroup
        label="Permissions"
        options={MODES}
        value={draft.mode}
        onChange={(mode) => change({ mode })}
        {...fieldError(error, "/permission_mode")}
      />
      {draft.mode === "restricted" ? (
        <TagInput
          label="Blocked operations"
          description="An operation, an area such as keys.*, or * for all."
          placeholder="keys.*"
          values={draft.blocked}
          onChange={(blocked) => change({ blocked })}
          suggestions={patternsFor(role)}
          refuse={(text) =>
            isPattern(text) ? undefined : "Enter an operation such as events.fire, an area such as keys.*, or *."
          }
          {...fieldError(error, "/blocked_actions")}
        />
      ) : null}
      <Select
        label="Acts as"
        options={ACTORS}
        value={draft.actorType}
        onChange={(actorType) => change({ actorType })}
        {...fieldError(error, "/actor_type")}
      />
      {draft.actorType === "service" ? (
        <Select
          label="Role"
          options={ROLES}
          value={draft.role}
          onChange={(one) => change({ role: one })}
          {...fieldError(error, "/role")}
        />
      ) : null}
      {showsMore ? (
        <>
          <TextField
            label="Tenant"
            description="Your customer, by your own ID. The key can reach only what is this tenant's."
            isRequired={false}
            mono
            placeholder="acme"
            value={draft.tenant}
            onChange={(tenant) => change({ tenant })}
            {...fieldError(error, "/tenant")}
          />
          <TextField
            label="Rate limit (calls per hour)"
            isRequired={false}
            inputMode="numeric"
            placeholder="500000"
            pattern="[0-9]*"
            value={draft.perHour}
            onChange={(perHour) => change({ perHour })}
            {...fieldError(error, "/rate_limit_per_hour")}
          />
          <TagInput
            label="Allowed IP addresses"
            description="IP addresses or CIDR ranges. Leave empty to allow any address."
            placeholder="203.0.113.0/24"
            values={draft.addresses}
            onChange={(addresses) => change({ addresses })}
            {...fieldError(error, "/ip_allowlist")}
          />
          <Select
            label="Expires"
            options={EXPIRIES}
            value={draft.expiresInDays}
            onChange={(expiresInDays) => change({ expiresInDays })}
            {...fieldError(error, "/expires_at")}
          />
          <Switch isSelected={draft.requiresSignature} onChange={(requiresSignature) => change({ requiresSignature })}>
            Require signed calls
          </Switch>
        </>
      ) : (
        <Button variant="quiet" size="sm" onPress={() => setShowsMore(true)}>
          Show tenant, limits, addresses and expiry
        </Button>
      )}
    </>
  );
}
