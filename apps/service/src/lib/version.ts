/** The version of the service. The release script changes it together with those of the packages. */
export const VERSION = "0.1.0";
