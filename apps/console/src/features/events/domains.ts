interface Domain {
  readonly name: string;
  readonly about: string;
}

export const DOMAINS: Readonly<Record<string, Domain>> = {
  system: {
    name: "System",
    about: "The service tells of itself. An endpoint gets these by name, not with all events.",
  },
  crm: { name: "CRM", about: "People and where they stand." },
  custom: { name: "Your own", about: "" },
};

export function domainName(domain: string): string {
  const known = DOMAINS[domain];
  if (known !== undefined) return known.name;
  return domain.slice(0, 1).toUpperCase() + domain.slice(1).replaceAll("_", " ");
}
