// A running result and how Arrow arrays are made of it. See result.c.
#ifndef DA_RESULT_H
#define DA_RESULT_H

#include "capi.h"
#include "flat.h"

typedef struct da_result da_result;

enum { DA_BATCH = 0, DA_ERROR = 1, DA_END = 2 };

// da_result_new returns an empty result, or NULL if there is no memory.
da_result *da_result_new(void);

// da_result_execute starts the statement and blocks until the engine has its
// first rows. It returns DA_BATCH or DA_ERROR.
int da_result_execute(da_result *r, duckdb_pending_result pending);

// da_result_schema fills out, which the caller releases, and decides whether
// the result takes the flat path. It returns DA_BATCH or DA_ERROR.
int da_result_schema(da_result *r, struct ArrowSchema *out);

// da_result_flat says whether all columns are flat. Then batches come from
// da_result_gather, otherwise from da_result_convert. Both block, and must not
// be called again after DA_ERROR.
bool da_result_flat(const da_result *r);

// da_result_gather fills the batch with at most max_rows rows and max_bytes
// bytes, one row always being allowed.
int da_result_gather(da_result *r, int64_t max_rows, int64_t max_bytes);

// da_result_batch is what was gathered; the next gather overwrites it.
const da_batch *da_result_batch(const da_result *r);

// da_result_convert lets the engine turn its next chunk of up to 2,048 rows
// into a struct array, which the caller releases.
int da_result_convert(da_result *r, struct ArrowArray *out);

// da_result_drain runs the statement to its end and drops the rows. It returns
// DA_END or DA_ERROR.
int da_result_drain(da_result *r);

// da_result_error is the message of the last DA_ERROR; it dies with r.
const char *da_result_error(da_result *r);

// da_result_free frees the result. A statement that has not come to its end
// lingers in the connection until its next one. r may be NULL.
void da_result_free(da_result *r);

#endif
