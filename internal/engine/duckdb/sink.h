// Where the rows of a statement go that the engine's threads gather themselves,
// each in a batch of its own. See sink.c.
#ifndef DA_SINK_H
#define DA_SINK_H

#include "capi.h"
#include "flat.h"

typedef struct da_sink da_sink;

// da_sink_new returns an empty sink for rows of the same columns as a batch, which
// are all flat, or NULL if there is no memory. handle is passed to daSinkTake,
// which is Go's.
da_sink *da_sink_new(uintptr_t handle, const da_batch *like, int64_t max_rows, int64_t max_bytes);

// da_sink_register makes a function whose calls put their arguments, one for each
// column, into the sink, and return 1. The sink then belongs to the database.
duckdb_state da_sink_register(da_sink *sink, duckdb_connection connection, const char *name);

// da_sink_flush passes on what the batches still hold; no statement is running. It
// returns false if daSinkTake did.
bool da_sink_flush(da_sink *sink);

// da_sink_close frees the batches. A call of the function is an error from then on.
void da_sink_close(da_sink *sink);

// da_sink_free is for a sink that could not be registered.
void da_sink_free(void *sink);

#endif
