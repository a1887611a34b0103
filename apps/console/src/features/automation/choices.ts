import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { read } from "../../api/api.ts";
import type { Option } from "../../ui/ui.ts";
import { offersIn } from "../../shared/shared.ts";
import type { Offer } from "../../shared/shared.ts";
import { useSample } from "./sample.tsx";

/** The suggestions of fields. */
export interface Choices {
  readonly events: readonly Option[];
  readonly actions: readonly Option[];
  readonly workflows: readonly Option[];
  readonly roles: readonly Option[];
  /** The ids of a workflow's steps. */
  readonly steps: readonly string[];
  /** Values that the item can read. */
  readonly values: readonly Offer[];
  /** The ids of the steps that can come before the item. */
  readonly earlier: readonly string[];
}

const MOST = 100;
const ALWAYS: readonly Offer[] = ["$.event", "$.contact.email", "$.contact.score"].map((path) => ({
  path,
  example: "",
}));
const NO_STEPS: readonly string[] = [];
const ROLES = ["owner", "admin", "developer", "operator"].map((role) => ({ value: role, label: role }));

/** Returns the suggestions. Lists that cannot be read are left out; every value can be typed. */
export function useChoices(steps: readonly string[] = []): Choices {
  const { data } = useSample();
  const values = useMemo(() => [...offersIn(data, "$.data"), ...ALWAYS], [data]);
  const events = useQuery({ ...read("event_types.list"), staleTime: 60_000 });
  const actions = useQuery({ ...read("action_contracts.list", { query: { limit: MOST } }), staleTime: 60_000 });
  const workflows = useQuery({ ...read("workflows.list", { query: { limit: MOST } }), staleTime: 60_000 });
  return {
    events: events.data?.data.map(({ name }) => ({ value: name, label: name })) ?? [],
    actions: actions.data?.data.map(({ key, label }) => ({ value: key, label: key, detail: label })) ?? [],
    workflows: workflows.data?.data.map(({ id, name }) => ({ value: id, label: id, detail: name })) ?? [],
    roles: ROLES,
    steps,
    values,
    earlier: NO_STEPS,
  };
}
