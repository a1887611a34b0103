interface Domain {
  readonly name: string;
  readonly about: string;
}

export const DOMAINS: Readonly<Record<string, Domain>> = {
  system: {
    name: "System",
    about: "Events of the service itself. Endpoints receive them only if they are selected by name.",
  },
  crm: { name: "CRM", about: "People and their lifecycle stages." },
  custom: { name: "Custom", about: "" },
};

export function domainName(domain: string): string {
  const known = DOMAINS[domain];
  if (known !== undefined) return known.name;
  return domain.slice(0, 1).toUpperCase() + domain.slice(1).replaceAll("_", " ");
}
