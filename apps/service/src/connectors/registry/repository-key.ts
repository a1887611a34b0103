/**
 * The public key that signs the connectors in this repository, and what JUNCTION_CONNECTOR_TRUST is unless it is set. Its private
 * half is no part of the repository (docs/decisions/0120-connectors-signed-in-the-repository.md).
 */
export const REPOSITORY_KEY = "irmIBigX/0suME4+H6ss1cR6ARFZ0/eoqltdgqkNg4w=";
