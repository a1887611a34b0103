// Made from tools/package-names.ts by tools/generate-sdks.ts; changes are lost.

export const NODE_SDK = "@junction-platform/sdk";
