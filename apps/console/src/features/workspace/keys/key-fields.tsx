import { useState } from "react";
import type { wire } from "../../../api/api.ts";
import { Button, fieldError, RadioGroup, Select, Switch, TagInput, TextField } from "../../../ui/ui.ts";
import type { KeyDraft } from "./key-draft.ts";
import { isPattern, patternsFor } from "./rights.ts";

export interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
  readonly role: wire.Role | undefined;
  readonly error: unknown;
}

const MODES = [
  { value: "all", label: "All", detail: "Reads and writes what its role may" },
  { value: "read_only", label: "Read only", detail: "Refused on every write" },
  { value: "restricted", label: "Restricted", detail: "Everything but what you block" },
];
const ACTORS = [
  { value: "service", label: "A program", detail: "Acts as itself" },
  { value: "user", label: "You", detail: "Has your role of the moment, and may approve" },
  { value: "ai", label: "An AI", detail: "Proposes; people approve" },
];
const ROLES = ["admin", "developer", "operator", "viewer"].map((value) => ({ value, label: value }));
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
        description="What it is for; people read it."
        isRequired
        autoFocus
        value={draft.name}
        onChange={(name) => change({ name })}
        {...fieldError(error, "/name")}
      />
      <RadioGroup
        label="Mode"
        options={MODES}
        value={draft.mode}
        onChange={(mode) => change({ mode })}
        {...fieldError(error, "/permission_mode")}
      />
      {draft.mode === "restricted" ? (
        <TagInput
          label="Blocked"
          description="A name, an area such as keys.*, or *"
          placeholder="keys.*"
          values={draft.blocked}
          onChange={(blocked) => change({ blocked })}
          suggestions={patternsFor(role)}
          refuse={(text) => (isPattern(text) ? undefined : "A name such as events.fire, an area such as keys.*, or *")}
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
            label="Calls an hour"
            isRequired={false}
            inputMode="numeric"
            placeholder="500000"
            pattern="[0-9]*"
            value={draft.perHour}
            onChange={(perHour) => change({ perHour })}
            {...fieldError(error, "/rate_limit_per_hour")}
          />
          <TagInput
            label="Only from these addresses"
            description="IP addresses and CIDR ranges; none is from everywhere."
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
            Refuse calls that are not signed
          </Switch>
        </>
      ) : (
        <Button variant="quiet" size="sm" onPress={() => setShowsMore(true)}>
          Limits, addresses, expiry…
        </Button>
      )}
    </>
  );
}
