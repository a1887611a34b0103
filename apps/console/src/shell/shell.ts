export { enterDemo } from "./demo.ts";
export { MissingPage } from "./missing-page.tsx";
export { PlainPage } from "./plain-page.tsx";
export { InstallationCard, StorageNotice } from "./storage.tsx";
export { aboutOf, pages } from "./navigation.ts";
