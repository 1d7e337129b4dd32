// Go readers as an Arrow stream that the engine can scan. See input.c.
#ifndef DA_INPUT_H
#define DA_INPUT_H

#include "capi.h"

typedef struct da_input da_input;

// da_input_new takes the schema over from *schema. handle is passed to
// daScanOpen, which is Go's.
da_input *da_input_new(uintptr_t handle, struct ArrowSchema *schema);

// da_input_view makes name a view over the input, on this connection only.
duckdb_state da_input_view(da_input *in, duckdb_connection connection, const char *name);

// da_input_free frees the schema; no view over the input may be left that is
// still used.
void da_input_free(da_input *in);

#endif
