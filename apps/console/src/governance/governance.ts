export { ActorName } from "../shared/actor.tsx";
export { ConnectorLight, connectorWords, HealthLight } from "../features/connectors/connector-states.tsx";
export { JsonBlock } from "../shared/json-block.tsx";
export { PreviewCard, RiskBadge } from "../features/actions/preview-card.tsx";
export { byUrgency, isOpen, proposalWords, runWords } from "../features/actions/states.ts";
export { Outcome, ProposalLight, RunLight } from "../shared/outcome.tsx";
