export { EndpointLink, shortUrl, useEndpoints } from "./endpoint-names.tsx";
export type { Endpoints } from "./endpoint-names.tsx";
export { useEventTypes } from "./event-names.ts";
export { errorClasses, explainFailure, failureWord } from "./failures.ts";
export type { Failure } from "./failures.ts";
export { curlOf, headerText } from "./request-text.ts";
export { deliveryWords, disabledText, stageWords } from "./states.ts";
export { DeliveryLight, EndpointLight, StatusCode } from "./status.tsx";
