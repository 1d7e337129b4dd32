#include "sink.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

// part is what one thread of the engine has gathered and not passed on.
typedef struct part {
	da_sink *sink;
	da_batch batch;
	int64_t number;
	struct part *next;
} part;

struct da_sink {
	uintptr_t handle;
	da_batch like; // has no rows
	int64_t max_rows, max_bytes;
	pthread_mutex_t mutex; // guards what follows
	part *parts;
	int64_t count;
	bool closed;
};

static const char *const no_memory = "no memory for the rows of a statement";

// shape gives a batch the columns of another one. Decimals of 32 and 64 bits keep
// their width, since Arrow has types for them.
static bool shape(da_batch *b, const da_batch *like) {
	memset(b, 0, sizeof *b);
	b->column = calloc(like->columns, sizeof *b->column);
	if (!b->column) {
		return false;
	}
	b->columns = like->columns;
	b->row_bytes = like->row_bytes;
	for (int64_t i = 0; i < b->columns; i++) {
		da_column *c = &b->column[i];
		c->kind = like->column[i].kind;
		c->width = like->column[i].width;
		if (c->kind == DA_DECIMAL32 || c->kind == DA_DECIMAL64) {
			b->row_bytes -= c->width;
			c->width = c->kind == DA_DECIMAL32 ? 4 : 8;
			c->kind = DA_FIXED;
			b->row_bytes += c->width;
		}
	}
	return true;
}

da_sink *da_sink_new(uintptr_t handle, const da_batch *like, int64_t max_rows, int64_t max_bytes) {
	da_sink *s = calloc(1, sizeof *s);
	if (!s) {
		return NULL;
	}
	if (!shape(&s->like, like)) {
		free(s);
		return NULL;
	}
	pthread_mutex_init(&s->mutex, NULL);
	s->handle = handle;
	s->max_rows = max_rows;
	s->max_bytes = max_bytes;
	return s;
}

// begin is called by each thread before its first rows.
static void begin(duckdb_init_info info) {
	da_sink *s = duckdb_scalar_function_init_get_extra_info(info);
	part *p = calloc(1, sizeof *p);
	if (!p || !shape(&p->batch, &s->like)) {
		free(p);
		duckdb_scalar_function_init_set_error(info, no_memory);
		return;
	}
	p->sink = s;
	pthread_mutex_lock(&s->mutex);
	bool closed = s->closed;
	if (!closed) {
		p->number = s->count++;
		p->next = s->parts;
		s->parts = p;
	}
	pthread_mutex_unlock(&s->mutex);
	if (closed) {
		da_batch_free(&p->batch);
		free(p);
		duckdb_scalar_function_init_set_error(info, "the rows are not wanted any more");
		return;
	}
	duckdb_scalar_function_init_set_state(info, p, NULL); // it outlives the thread
}

// pass passes on the rows of a part, and empties it.
static bool pass(part *p) {
	bool taken = daSinkTake(p->sink->handle, p->number, &p->batch);
	da_batch_reset(&p->batch);
	return taken;
}

// put appends a chunk to the part of the thread that calls.
static void put(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out) {
	part *p = duckdb_scalar_function_get_state(info);
	da_sink *s = p->sink;
	int64_t rows = (int64_t)duckdb_data_chunk_get_size(chunk);
	memset(duckdb_vector_get_data(out), 1, rows);
	for (int64_t at = 0; at < rows;) {
		int64_t n = da_batch_fit(&p->batch, chunk, at, s->max_rows, s->max_bytes);
		const char *fault = n ? da_batch_append(&p->batch, chunk, at, n) : NULL;
		if (fault) {
			duckdb_scalar_function_set_error(info, fault);
			return;
		}
		at += n;
		bool full = n == 0 || p->batch.rows >= s->max_rows || p->batch.bytes >= s->max_bytes;
		if (full && !pass(p)) {
			duckdb_scalar_function_set_error(info, "the rows were not taken"); // Go knows why
			return;
		}
	}
}

duckdb_state da_sink_register(da_sink *s, duckdb_connection connection, const char *name) {
	duckdb_logical_type any = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
	duckdb_logical_type one = duckdb_create_logical_type(DUCKDB_TYPE_UTINYINT);
	duckdb_scalar_function f = duckdb_create_scalar_function();
	duckdb_scalar_function_set_name(f, name);
	duckdb_scalar_function_set_varargs(f, any);
	duckdb_scalar_function_set_return_type(f, one);
	duckdb_scalar_function_set_special_handling(f); // it sees NULLs
	duckdb_scalar_function_set_volatile(f);         // each row is its own
	duckdb_scalar_function_set_init(f, begin);
	duckdb_scalar_function_set_function(f, put);
	duckdb_scalar_function_set_extra_info(f, s, da_sink_free);
	duckdb_state state = duckdb_register_scalar_function(connection, f);
	duckdb_destroy_scalar_function(&f);
	duckdb_destroy_logical_type(&one);
	duckdb_destroy_logical_type(&any);
	return state;
}

bool da_sink_flush(da_sink *s) {
	for (part *p = s->parts; p; p = p->next) {
		if (p->batch.rows > 0 && !pass(p)) {
			return false;
		}
	}
	return true;
}

void da_sink_close(da_sink *s) {
	pthread_mutex_lock(&s->mutex);
	s->closed = true;
	part *p = s->parts;
	s->parts = NULL;
	pthread_mutex_unlock(&s->mutex);
	while (p) {
		part *next = p->next;
		da_batch_free(&p->batch);
		free(p);
		p = next;
	}
}

void da_sink_free(void *sink) {
	da_sink *s = sink;
	da_sink_close(s);
	da_batch_free(&s->like);
	pthread_mutex_destroy(&s->mutex);
	free(s);
}
