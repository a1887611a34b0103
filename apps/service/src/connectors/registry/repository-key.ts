/**
 * The public key that signs the connectors in this repository, and what JUNCTION_CONNECTOR_TRUST is unless it is set. Its private
 * half is no part of the repository (docs/decisions/0095-signed-connectors.md).
 */
export const REPOSITORY_KEY = "irmIBigX/0suME4+H6ss1cR6ARFZ0/eoqltdgqkNg4w=";
