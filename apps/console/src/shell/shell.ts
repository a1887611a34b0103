export { enterDemo } from "./demo.ts";
export { MissingPage } from "./missing-page.tsx";
export { PlainPage } from "./plain-page.tsx";
export { aboutOf, pages } from "./navigation.ts";
