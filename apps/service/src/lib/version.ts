/** Of the service; the release script changes it together with the packages'. */
export const VERSION = "0.1.0";
