export { listen } from "./http/listen.ts";
export { openApiDocument } from "./openapi/openapi.ts";
