// The part of DuckDB's C API that this package uses, declared by hand: the
// prebuilt static library has every symbol, but its header lies in another
// module, where cgo cannot include it from. capi_test.go compiles this file
// after that header, so that a drift is an error of the C compiler.
#ifndef DA_CAPI_H
#define DA_CAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The Arrow C data and stream interfaces, as their specification spells them.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};
struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};
#endif

// The test sets DA_AFTER_DUCKDB_H when the real header came first: then only
// the prototypes below are compiled again, and the compiler compares them.
#ifndef DA_AFTER_DUCKDB_H

// The numbers are part of DuckDB's ABI. The test asserts each of them.
typedef enum duckdb_type {
	DUCKDB_TYPE_BOOLEAN = 1,
	DUCKDB_TYPE_TINYINT = 2,
	DUCKDB_TYPE_SMALLINT = 3,
	DUCKDB_TYPE_INTEGER = 4,
	DUCKDB_TYPE_BIGINT = 5,
	DUCKDB_TYPE_UTINYINT = 6,
	DUCKDB_TYPE_USMALLINT = 7,
	DUCKDB_TYPE_UINTEGER = 8,
	DUCKDB_TYPE_UBIGINT = 9,
	DUCKDB_TYPE_FLOAT = 10,
	DUCKDB_TYPE_DOUBLE = 11,
	DUCKDB_TYPE_TIMESTAMP = 12,
	DUCKDB_TYPE_DATE = 13,
	DUCKDB_TYPE_TIME = 14,
	DUCKDB_TYPE_VARCHAR = 17,
	DUCKDB_TYPE_BLOB = 18,
	DUCKDB_TYPE_DECIMAL = 19,
	DUCKDB_TYPE_TIMESTAMP_S = 20,
	DUCKDB_TYPE_TIMESTAMP_MS = 21,
	DUCKDB_TYPE_TIMESTAMP_NS = 22,
	DUCKDB_TYPE_UUID = 27,
	DUCKDB_TYPE_TIMESTAMP_TZ = 31,
	DUCKDB_TYPE_ANY = 34,
} duckdb_type;

typedef enum duckdb_state { DuckDBSuccess = 0, DuckDBError = 1 } duckdb_state;

typedef uint64_t idx_t;

typedef struct {
	union {
		struct {
			uint32_t length;
			char prefix[4];
			char *ptr;
		} pointer;
		struct {
			uint32_t length;
			char inlined[12];
		} inlined;
	} value;
} duckdb_string_t;

typedef struct {
	int64_t micros;
} duckdb_timestamp;

typedef struct {
	idx_t deprecated_column_count;
	idx_t deprecated_row_count;
	idx_t deprecated_rows_changed;
	void *deprecated_columns;
	char *deprecated_error_message;
	void *internal_data;
} duckdb_result;

typedef struct _duckdb_database {
	void *internal_ptr;
} * duckdb_database;
typedef struct _duckdb_connection {
	void *internal_ptr;
} * duckdb_connection;
typedef struct _duckdb_config {
	void *internal_ptr;
} * duckdb_config;
typedef struct _duckdb_extracted_statements {
	void *internal_ptr;
} * duckdb_extracted_statements;
typedef struct _duckdb_prepared_statement {
	void *internal_ptr;
} * duckdb_prepared_statement;
typedef struct _duckdb_pending_result {
	void *internal_ptr;
} * duckdb_pending_result;
typedef struct _duckdb_data_chunk {
	void *internal_ptr;
} * duckdb_data_chunk;
typedef struct _duckdb_vector {
	void *internal_ptr;
} * duckdb_vector;
typedef struct _duckdb_logical_type {
	void *internal_ptr;
} * duckdb_logical_type;
typedef struct _duckdb_error_data {
	void *internal_ptr;
} * duckdb_error_data;
typedef struct _duckdb_arrow_options {
	void *internal_ptr;
} * duckdb_arrow_options;
typedef struct _duckdb_arrow_stream {
	void *internal_ptr;
} * duckdb_arrow_stream;
typedef struct _duckdb_scalar_function {
	void *internal_ptr;
} * duckdb_scalar_function;
typedef struct _duckdb_function_info {
	void *internal_ptr;
} * duckdb_function_info;
typedef struct _duckdb_init_info {
	void *internal_ptr;
} * duckdb_init_info;

typedef void (*duckdb_delete_callback_t)(void *data);
typedef void (*duckdb_scalar_function_init_t)(duckdb_init_info info);
typedef void (*duckdb_scalar_function_t)(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

#endif // DA_AFTER_DUCKDB_H

// Layouts, asserted here so that they are checked against both definitions.
_Static_assert(sizeof(idx_t) == 8, "idx_t");
_Static_assert(sizeof(duckdb_string_t) == 16, "duckdb_string_t");
_Static_assert(offsetof(duckdb_string_t, value.pointer.ptr) == 8, "duckdb_string_t.ptr");
_Static_assert(offsetof(duckdb_string_t, value.inlined.inlined) == 4, "duckdb_string_t.inlined");
_Static_assert(sizeof(duckdb_timestamp) == 8, "duckdb_timestamp");
_Static_assert(sizeof(duckdb_result) == 48, "duckdb_result");
_Static_assert(offsetof(duckdb_result, internal_data) == 40, "duckdb_result.internal_data");

// Instance and connection.
duckdb_state duckdb_create_config(duckdb_config *out);
duckdb_state duckdb_set_config(duckdb_config config, const char *name, const char *option);
void duckdb_destroy_config(duckdb_config *config);
duckdb_state duckdb_open_ext(const char *path, duckdb_database *out, duckdb_config config, char **error);
void duckdb_close(duckdb_database *database);
duckdb_state duckdb_connect(duckdb_database database, duckdb_connection *out);
void duckdb_interrupt(duckdb_connection connection);
void duckdb_disconnect(duckdb_connection *connection);
void duckdb_free(void *ptr);

// Statements.
idx_t duckdb_extract_statements(duckdb_connection connection, const char *query, duckdb_extracted_statements *out);
duckdb_state duckdb_prepare_extracted_statement(duckdb_connection connection, duckdb_extracted_statements statements,
                                                idx_t index, duckdb_prepared_statement *out);
const char *duckdb_extract_statements_error(duckdb_extracted_statements statements);
void duckdb_destroy_extracted(duckdb_extracted_statements *statements);
const char *duckdb_prepare_error(duckdb_prepared_statement statement);
void duckdb_destroy_prepare(duckdb_prepared_statement *statement);
idx_t duckdb_nparams(duckdb_prepared_statement statement);
duckdb_state duckdb_bind_boolean(duckdb_prepared_statement statement, idx_t index, bool value);
duckdb_state duckdb_bind_int64(duckdb_prepared_statement statement, idx_t index, int64_t value);
duckdb_state duckdb_bind_double(duckdb_prepared_statement statement, idx_t index, double value);
duckdb_state duckdb_bind_timestamp_tz(duckdb_prepared_statement statement, idx_t index, duckdb_timestamp value);
duckdb_state duckdb_bind_varchar_length(duckdb_prepared_statement statement, idx_t index, const char *value,
                                        idx_t length);
duckdb_state duckdb_bind_blob(duckdb_prepared_statement statement, idx_t index, const void *data, idx_t length);
duckdb_state duckdb_bind_null(duckdb_prepared_statement statement, idx_t index);

// Execution.
duckdb_state duckdb_pending_prepared_streaming(duckdb_prepared_statement statement, duckdb_pending_result *out);
const char *duckdb_pending_error(duckdb_pending_result pending);
duckdb_state duckdb_execute_pending(duckdb_pending_result pending, duckdb_result *out);
void duckdb_destroy_pending(duckdb_pending_result *pending);
const char *duckdb_result_error(duckdb_result *result);
void duckdb_destroy_result(duckdb_result *result);
duckdb_data_chunk duckdb_fetch_chunk(duckdb_result result);

// Shape and content of a result.
idx_t duckdb_column_count(duckdb_result *result);
const char *duckdb_column_name(duckdb_result *result, idx_t column);
duckdb_logical_type duckdb_column_logical_type(duckdb_result *result, idx_t column);
void duckdb_destroy_logical_type(duckdb_logical_type *type);
duckdb_type duckdb_get_type_id(duckdb_logical_type type);
duckdb_type duckdb_decimal_internal_type(duckdb_logical_type type);
void duckdb_destroy_data_chunk(duckdb_data_chunk *chunk);
idx_t duckdb_data_chunk_get_size(duckdb_data_chunk chunk);
duckdb_vector duckdb_data_chunk_get_vector(duckdb_data_chunk chunk, idx_t column);
void *duckdb_vector_get_data(duckdb_vector vector);
uint64_t *duckdb_vector_get_validity(duckdb_vector vector);

// Arrow.
duckdb_arrow_options duckdb_result_get_arrow_options(duckdb_result *result);
void duckdb_destroy_arrow_options(duckdb_arrow_options *options);
duckdb_error_data duckdb_to_arrow_schema(duckdb_arrow_options options, duckdb_logical_type *types, const char **names,
                                         idx_t columns, struct ArrowSchema *out);
duckdb_error_data duckdb_data_chunk_to_arrow(duckdb_arrow_options options, duckdb_data_chunk chunk,
                                             struct ArrowArray *out);
bool duckdb_error_data_has_error(duckdb_error_data error);
const char *duckdb_error_data_message(duckdb_error_data error);
void duckdb_destroy_error_data(duckdb_error_data *error);
duckdb_state duckdb_arrow_scan(duckdb_connection connection, const char *name, duckdb_arrow_stream stream);

// Functions of our own in statements.
duckdb_logical_type duckdb_create_logical_type(duckdb_type type);
duckdb_scalar_function duckdb_create_scalar_function(void);
void duckdb_destroy_scalar_function(duckdb_scalar_function *function);
void duckdb_scalar_function_set_name(duckdb_scalar_function function, const char *name);
void duckdb_scalar_function_set_varargs(duckdb_scalar_function function, duckdb_logical_type type);
void duckdb_scalar_function_set_special_handling(duckdb_scalar_function function);
void duckdb_scalar_function_set_volatile(duckdb_scalar_function function);
void duckdb_scalar_function_set_return_type(duckdb_scalar_function function, duckdb_logical_type type);
void duckdb_scalar_function_set_extra_info(duckdb_scalar_function function, void *extra_info,
                                           duckdb_delete_callback_t destroy);
void duckdb_scalar_function_set_init(duckdb_scalar_function function, duckdb_scalar_function_init_t init);
void duckdb_scalar_function_set_function(duckdb_scalar_function function, duckdb_scalar_function_t call);
duckdb_state duckdb_register_scalar_function(duckdb_connection connection, duckdb_scalar_function function);
void *duckdb_scalar_function_init_get_extra_info(duckdb_init_info info);
void duckdb_scalar_function_init_set_state(duckdb_init_info info, void *state, duckdb_delete_callback_t destroy);
void duckdb_scalar_function_init_set_error(duckdb_init_info info, const char *error);
void *duckdb_scalar_function_get_state(duckdb_function_info info);
void duckdb_scalar_function_set_error(duckdb_function_info info, const char *error);

#endif // DA_CAPI_H
