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
  /** The kind of resource: "Ticket". It is the page's heading until the resource is there, and where it cannot be read. */
  readonly heading: string;
  readonly children: (resource: Resource) => ReactNode;
}

/** The page of the resource that the route's path names, in all its states. */
export function ResourcePage<Resource>(props: ResourcePageProps<Resource>) {
  const { read, parameter = "id", heading, children } = props;
  const query = useQuery(read(usePathParameter(parameter)));
  return (
    <Loaded query={query} label={`Loading the ${nounOf(heading)}`} page={heading}>
      {children}
    </Loaded>
  );
}

/** Returns a heading within a sentence: "ticket", "AI request". */
function nounOf(heading: string): string {
  return /^[A-Z]{2}/.test(heading) ? heading : heading.slice(0, 1).toLowerCase() + heading.slice(1);
}
