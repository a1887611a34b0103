export { ActorName } from "./actor.tsx";
export { ConnectorLight, connectorWords, HealthLight } from "./connector-states.tsx";
export { JsonBlock } from "./json-block.tsx";
export { PreviewCard, RiskBadge } from "./preview-card.tsx";
export { byUrgency, isOpen, proposalWords, runWords } from "./states.ts";
export { Outcome, ProposalLight, RunLight } from "./status.tsx";
