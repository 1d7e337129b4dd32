// Opening an instance. See open.c.
#ifndef DA_OPEN_H
#define DA_OPEN_H

#include "../capi.h"

// da_open is duckdb_open_ext. The first call also makes room for what the engine
// allocates while it starts.
duckdb_state da_open(const char *path, duckdb_database *out, duckdb_config config, char **error);

#endif
