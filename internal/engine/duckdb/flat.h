// Columns of flat types, gathered from the engine's chunks of 2,048 rows into
// the buffers of one long Arrow batch. See flat.c.
#ifndef DA_FLAT_H
#define DA_FLAT_H

#include "capi.h"

typedef enum {
	DA_NOT_FLAT = 0,
	DA_FIXED,     // same bytes in Arrow
	DA_BOOL,      // a byte each; Arrow wants a bit
	DA_BYTES,     // VARCHAR and BLOB
	DA_DECIMAL16, // decimals that the engine keeps in 16, 32, 64 bits;
	DA_DECIMAL32, // Arrow gets 128
	DA_DECIMAL64,
	DA_UUID, // 128 bits with the top bit flipped; Arrow wants 16 bytes, big-endian
} da_kind;

typedef struct {
	da_kind kind;
	int width;        // bytes a row in data; 0 for DA_BOOL and DA_BYTES
	uint64_t *valid;  // bitmap; has a meaning only if nulls > 0
	uint8_t *data;
	int32_t *offsets; // DA_BYTES only
	size_t data_cap;  // DA_BYTES only
	int64_t nulls;
} da_column;

// da_column_init sets kind and width for a type, or DA_NOT_FLAT if the type is
// not flat or its Arrow format is not the one that the kind writes.
void da_column_init(da_column *c, duckdb_logical_type type, const char *format);

typedef struct {
	int64_t columns;
	da_column *column;
	int64_t rows, cap, bytes; // of the batch being built
	int64_t row_bytes;        // of a row without the content of DA_BYTES
} da_batch;

// da_batch_fit returns how many rows of the chunk, from row start on, the batch
// still takes within its bounds; at least one if it is empty.
int64_t da_batch_fit(const da_batch *b, duckdb_data_chunk chunk, int64_t start, int64_t max_rows, int64_t max_bytes);

// da_batch_append copies n rows of the chunk, from row start on. It returns
// NULL, or what went wrong.
const char *da_batch_append(da_batch *b, duckdb_data_chunk chunk, int64_t start, int64_t n);

// da_batch_reset empties the batch and keeps its memory: fresh pages cost more
// than the copy that takes a batch out.
void da_batch_reset(da_batch *b);

// da_batch_free frees the batch's memory and its columns.
void da_batch_free(da_batch *b);

#endif
