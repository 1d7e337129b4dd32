#include "result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct da_result {
	duckdb_result res;
	duckdb_arrow_options options;
	bool flat;
	da_batch batch;
	duckdb_data_chunk chunk; // fetched and not used up
	int64_t chunk_row;       // the first row of it that is not used
	bool ended;              // a fetch past the end is an error of the engine
	const char *engine_error;
	char own_error[512];
};

da_result *da_result_new(void) { return calloc(1, sizeof(da_result)); }

static int fail(da_result *r, const char *message) {
	snprintf(r->own_error, sizeof r->own_error, "%s", message ? message : "the engine gave no reason");
	return DA_ERROR;
}

static int take_error(da_result *r, duckdb_error_data e) {
	int bad = DA_BATCH;
	if (e && duckdb_error_data_has_error(e)) {
		bad = fail(r, duckdb_error_data_message(e));
	}
	if (e) {
		duckdb_destroy_error_data(&e);
	}
	return bad;
}

int da_result_execute(da_result *r, duckdb_pending_result pending) {
	if (duckdb_execute_pending(pending, &r->res) == DuckDBSuccess) {
		return DA_BATCH;
	}
	r->engine_error = duckdb_result_error(&r->res);
	return r->engine_error ? DA_ERROR : fail(r, duckdb_pending_error(pending));
}

// plan_batch takes the flat path if every column can go it.
static int plan_batch(da_result *r, duckdb_logical_type *types, const struct ArrowSchema *schema, idx_t n) {
	da_batch *b = &r->batch;
	b->column = calloc(n ? n : 1, sizeof *b->column);
	if (!b->column) {
		return fail(r, "no memory for the columns of the result");
	}
	b->columns = (int64_t)n;
	r->flat = n > 0;
	for (idx_t i = 0; i < n; i++) {
		da_column *c = &b->column[i];
		da_column_init(c, types[i], schema->children[i]->format);
		if (c->kind == DA_NOT_FLAT) {
			r->flat = false;
		}
		b->row_bytes += c->kind == DA_BYTES ? (int)sizeof(int32_t) : c->width;
	}
	return DA_BATCH;
}

int da_result_schema(da_result *r, struct ArrowSchema *out) {
	idx_t n = duckdb_column_count(&r->res);
	const char **names = calloc(n ? n : 1, sizeof *names);
	duckdb_logical_type *types = calloc(n ? n : 1, sizeof *types);
	int state = names && types ? DA_BATCH : fail(r, "no memory for the schema of the result");
	if (state == DA_BATCH) {
		r->options = duckdb_result_get_arrow_options(&r->res);
		for (idx_t i = 0; i < n; i++) {
			names[i] = duckdb_column_name(&r->res, i);
			types[i] = duckdb_column_logical_type(&r->res, i);
		}
		state = take_error(r, duckdb_to_arrow_schema(r->options, types, names, n, out));
		if (state == DA_BATCH) {
			state = plan_batch(r, types, out, n);
		}
		for (idx_t i = 0; i < n; i++) {
			duckdb_destroy_logical_type(&types[i]);
		}
	}
	free(names);
	free(types);
	return state;
}

bool da_result_flat(const da_result *r) { return r->flat; }

// fetch makes r->chunk a chunk with unused rows. NULL from the engine means the
// end or an error, and only the result knows which.
static int fetch(da_result *r) {
	while (!r->chunk) {
		if (r->ended) {
			return DA_END;
		}
		r->chunk = duckdb_fetch_chunk(r->res);
		r->chunk_row = 0;
		if (!r->chunk) {
			r->ended = true;
			const char *e = duckdb_result_error(&r->res);
			if (e && *e) {
				r->engine_error = e;
				return DA_ERROR;
			}
			return DA_END;
		}
		if (duckdb_data_chunk_get_size(r->chunk) == 0) {
			duckdb_destroy_data_chunk(&r->chunk);
		}
	}
	return DA_BATCH;
}

int da_result_gather(da_result *r, int64_t max_rows, int64_t max_bytes) {
	da_batch *b = &r->batch;
	da_batch_reset(b);
	for (;;) {
		int state = fetch(r);
		if (state == DA_END && b->rows > 0) {
			break;
		}
		if (state != DA_BATCH) {
			return state;
		}
		int64_t n = da_batch_fit(b, r->chunk, r->chunk_row, max_rows, max_bytes);
		if (n == 0) {
			break;
		}
		const char *fault = da_batch_append(b, r->chunk, r->chunk_row, n);
		if (fault) {
			return fail(r, fault);
		}
		r->chunk_row += n;
		if (r->chunk_row == (int64_t)duckdb_data_chunk_get_size(r->chunk)) {
			duckdb_destroy_data_chunk(&r->chunk);
		}
		if (b->rows >= max_rows || b->bytes >= max_bytes) {
			break;
		}
	}
	return DA_BATCH;
}

const da_batch *da_result_batch(const da_result *r) { return &r->batch; }

int da_result_convert(da_result *r, struct ArrowArray *out) {
	int state = fetch(r);
	if (state != DA_BATCH) {
		return state;
	}
	state = take_error(r, duckdb_data_chunk_to_arrow(r->options, r->chunk, out));
	duckdb_destroy_data_chunk(&r->chunk);
	return state;
}

int da_result_drain(da_result *r) {
	int state;
	while ((state = fetch(r)) == DA_BATCH) {
		duckdb_destroy_data_chunk(&r->chunk);
	}
	return state;
}

const char *da_result_error(da_result *r) { return r->engine_error ? r->engine_error : r->own_error; }

void da_result_free(da_result *r) {
	if (!r) {
		return;
	}
	da_batch_free(&r->batch);
	if (r->chunk) {
		duckdb_destroy_data_chunk(&r->chunk);
	}
	if (r->options) {
		duckdb_destroy_arrow_options(&r->options);
	}
	duckdb_destroy_result(&r->res);
	free(r);
}
