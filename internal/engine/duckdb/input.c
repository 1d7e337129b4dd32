#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

struct da_input {
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	uintptr_t handle;
};

// da_scan is one reading of an input, from its first row.
typedef struct da_scan {
	da_input *in;
	uintptr_t handle;
} da_scan;

static void release_nothing(struct ArrowSchema *s) { s->release = NULL; }

// The engine asks for the schema several times and never releases the root, so
// it gets a borrowed copy of the one that da_input owns.
static int borrow_schema(da_input *in, struct ArrowSchema *out) {
	*out = in->schema;
	out->release = release_nothing;
	return 0;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
	return borrow_schema(stream->private_data, out);
}

static int scan_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
	da_scan *scan = stream->private_data;
	return borrow_schema(scan->in, out);
}

static int scan_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
	da_scan *scan = stream->private_data;
	memset(out, 0, sizeof *out);
	return daScanNext(scan->handle, out) ? 0 : EIO;
}

static void scan_release(struct ArrowArrayStream *stream) {
	da_scan *scan = stream->private_data;
	daScanClose(scan->handle);
	free(scan);
	stream->release = NULL;
}

// The engine copies the stream for each scan. The copy becomes a scan of its own
// when it is read first, so scans beside one another do not share rows.
static int get_next(struct ArrowArrayStream *copy, struct ArrowArray *out) {
	da_input *in = copy->private_data;
	memset(out, 0, sizeof *out);
	da_scan *scan = calloc(1, sizeof *scan);
	if (!scan) {
		return ENOMEM;
	}
	scan->in = in;
	scan->handle = daScanOpen(in->handle);
	if (!scan->handle) {
		free(scan);
		return EIO;
	}
	copy->get_schema = scan_schema;
	copy->get_next = scan_next;
	copy->release = scan_release;
	copy->private_data = scan;
	return scan_next(copy, out);
}

// The reason stays in Go, which knows it as an error and not as a text.
static const char *get_last_error(struct ArrowArrayStream *stream) {
	(void)stream;
	return "the input failed";
}

static void release_stream(struct ArrowArrayStream *stream) { stream->release = NULL; }

da_input *da_input_new(uintptr_t handle, struct ArrowSchema *schema) {
	da_input *in = calloc(1, sizeof *in);
	if (!in) {
		return NULL;
	}
	in->handle = handle;
	in->schema = *schema;
	schema->release = NULL;
	in->stream = (struct ArrowArrayStream){.get_schema = get_schema,
	                                       .get_next = get_next,
	                                       .get_last_error = get_last_error,
	                                       .release = release_stream,
	                                       .private_data = in};
	return in;
}

duckdb_state da_input_view(da_input *in, duckdb_connection connection, const char *name) {
	return duckdb_arrow_scan(connection, name, (duckdb_arrow_stream)&in->stream);
}

void da_input_free(da_input *in) {
	if (!in) {
		return;
	}
	if (in->schema.release) {
		in->schema.release(&in->schema);
	}
	free(in);
}
