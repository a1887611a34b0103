/**
 * The public key that signs the connectors in this repository, and the default of JUNCTION_CONNECTOR_TRUST. The private
 * key is not in the repository (docs/decisions/0095-signed-connectors.md).
 */
export const REPOSITORY_KEY = "irmIBigX/0suME4+H6ss1cR6ARFZ0/eoqltdgqkNg4w=";
