import { useQuery } from "@tanstack/react-query";
import type { UseQueryOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { QueryKey } from "../api/api.ts";
import { Loaded } from "./states.tsx";
import { usePathParameter } from "./url-state.ts";

export interface ResourcePageProps<Resource> {
  /** Options for the query: `(id) => read("tickets.get", { path: { id } })`. */
  readonly read: (id: string) => UseQueryOptions<Resource, Error, Resource, QueryKey>;
  /** The parameter of the route's path that names the resource. */
  readonly parameter?: string;
  /** Text for the loading state: "Loading the ticket". */
  readonly label: string;
  /** The page's heading until the resource is there, and where it cannot be read. */
  readonly heading: string;
  readonly children: (resource: Resource) => ReactNode;
}

/** The page of the resource that the route's path names, in all its states. */
export function ResourcePage<Resource>(props: ResourcePageProps<Resource>) {
  const { read, parameter = "id", label, heading, children } = props;
  const query = useQuery(read(usePathParameter(parameter)));
  return (
    <Loaded query={query} label={label} page={heading}>
      {children}
    </Loaded>
  );
}
