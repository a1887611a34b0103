/** The times after which an access that people give can end. */
export const LIFE_DAYS = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
] as const;
export type LifeDays = (typeof LIFE_DAYS)[number]["value"];
