#include "flat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const no_memory = "no memory for a batch of the result";

enum {
	SLACK = 16, // short strings are copied as 12 bytes whatever their length
	FIRST_ROWS = 2048,
	FIRST_BYTES = 64 * 1024,
	KEEP_BYTES = 64 * 1024 * 1024, // one huge value does not stay for the rest of the result
};

static int64_t bitmap_words(int64_t rows) { return (rows + 63) / 64; }

static bool is_valid(const uint64_t *valid, int64_t row) { return !valid || (valid[row >> 6] >> (row & 63) & 1); }

void da_column_init(da_column *c, duckdb_logical_type type, const char *format) {
	static const struct {
		duckdb_type type;
		da_kind kind;
		int width;
		const char *format;
	} flat[] = {
	    {DUCKDB_TYPE_BOOLEAN, DA_BOOL, 0, "c"}, // arrow.bool8, which Go turns into a bool
	    {DUCKDB_TYPE_TINYINT, DA_FIXED, 1, "c"},
	    {DUCKDB_TYPE_SMALLINT, DA_FIXED, 2, "s"},
	    {DUCKDB_TYPE_INTEGER, DA_FIXED, 4, "i"},
	    {DUCKDB_TYPE_BIGINT, DA_FIXED, 8, "l"},
	    {DUCKDB_TYPE_UTINYINT, DA_FIXED, 1, "C"},
	    {DUCKDB_TYPE_USMALLINT, DA_FIXED, 2, "S"},
	    {DUCKDB_TYPE_UINTEGER, DA_FIXED, 4, "I"},
	    {DUCKDB_TYPE_UBIGINT, DA_FIXED, 8, "L"},
	    {DUCKDB_TYPE_FLOAT, DA_FIXED, 4, "f"},
	    {DUCKDB_TYPE_DOUBLE, DA_FIXED, 8, "g"},
	    {DUCKDB_TYPE_DATE, DA_FIXED, 4, "tdD"},
	    {DUCKDB_TYPE_TIME, DA_FIXED, 8, "ttu"},
	    {DUCKDB_TYPE_TIMESTAMP, DA_FIXED, 8, "tsu:"},
	    {DUCKDB_TYPE_TIMESTAMP_S, DA_FIXED, 8, "tss:"},
	    {DUCKDB_TYPE_TIMESTAMP_MS, DA_FIXED, 8, "tsm:"},
	    {DUCKDB_TYPE_TIMESTAMP_NS, DA_FIXED, 8, "tsn:"},
	    {DUCKDB_TYPE_VARCHAR, DA_BYTES, 0, "u"},
	    {DUCKDB_TYPE_BLOB, DA_BYTES, 0, "z"},
	    {DUCKDB_TYPE_UUID, DA_UUID, 16, "w:16"},
	};
	duckdb_type t = duckdb_get_type_id(type);
	memset(c, 0, sizeof *c);
	for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
		if (t == flat[i].type && strcmp(format, flat[i].format) == 0) {
			c->kind = flat[i].kind;
			c->width = flat[i].width;
			return;
		}
	}
	// The zone of a TIMESTAMPTZ is that of the session.
	if (t == DUCKDB_TYPE_TIMESTAMP_TZ && strncmp(format, "tsu:", 4) == 0) {
		c->kind = DA_FIXED;
		c->width = 8;
	}
	// "d:9,2" or "d:9,2,128": precision, scale, and bits if not 128.
	int precision, scale, bits = 128;
	if (t != DUCKDB_TYPE_DECIMAL || sscanf(format, "d:%d,%d,%d", &precision, &scale, &bits) < 2 || bits != 128) {
		return;
	}
	c->width = 16;
	switch (duckdb_decimal_internal_type(type)) {
	case DUCKDB_TYPE_SMALLINT:
		c->kind = DA_DECIMAL16;
		break;
	case DUCKDB_TYPE_INTEGER:
		c->kind = DA_DECIMAL32;
		break;
	case DUCKDB_TYPE_BIGINT:
		c->kind = DA_DECIMAL64;
		break;
	default:
		c->kind = DA_FIXED;
	}
}

// string_bytes is the total length of n strings from row start on. The length
// of a NULL is whatever was there before.
static int64_t string_bytes(const duckdb_string_t *s, const uint64_t *valid, int64_t start, int64_t n) {
	int64_t sum = 0;
	if (!valid) {
		for (int64_t i = start; i < start + n; i++) {
			sum += s[i].value.inlined.length;
		}
		return sum;
	}
	for (int64_t i = start; i < start + n; i++) {
		if (is_valid(valid, i)) {
			sum += s[i].value.inlined.length;
		}
	}
	return sum;
}

static int64_t chunk_bytes(const da_batch *b, duckdb_data_chunk chunk, int64_t start, int64_t n) {
	int64_t sum = n * b->row_bytes;
	for (int64_t i = 0; i < b->columns; i++) {
		if (b->column[i].kind == DA_BYTES) {
			duckdb_vector v = duckdb_data_chunk_get_vector(chunk, i);
			sum += string_bytes(duckdb_vector_get_data(v), duckdb_vector_get_validity(v), start, n);
		}
	}
	return sum;
}

int64_t da_batch_fit(const da_batch *b, duckdb_data_chunk chunk, int64_t start, int64_t max_rows, int64_t max_bytes) {
	int64_t n = (int64_t)duckdb_data_chunk_get_size(chunk) - start;
	int64_t room = max_bytes - b->bytes;
	if (n > max_rows - b->rows) {
		n = max_rows - b->rows;
	}
	if (n <= 0 || chunk_bytes(b, chunk, start, n) <= room) {
		return n;
	}
	int64_t k = 0;
	for (; k < n; k++) {
		room -= chunk_bytes(b, chunk, start + k, 1);
		if (room < 0) {
			break;
		}
	}
	return k == 0 && b->rows == 0 ? 1 : k;
}

static bool grow(void **p, size_t bytes) {
	void *q = realloc(*p, bytes);
	if (!q) {
		return false;
	}
	*p = q;
	return true;
}

static bool grow_column(da_column *c, int64_t from, int64_t to) {
	size_t old_words = bitmap_words(from), words = bitmap_words(to);
	if (c->valid) {
		if (!grow((void **)&c->valid, words * 8)) {
			return false;
		}
		memset(c->valid + old_words, 0xff, (words - old_words) * 8);
	}
	switch (c->kind) {
	case DA_BOOL:
		if (!grow((void **)&c->data, words * 8)) {
			return false;
		}
		memset(c->data + old_words * 8, 0, (words - old_words) * 8);
		return true;
	case DA_BYTES:
		if (!grow((void **)&c->offsets, (to + 1) * sizeof *c->offsets)) {
			return false;
		}
		c->offsets[0] = 0;
		return true;
	default:
		return grow((void **)&c->data, to * c->width);
	}
}

static bool grow_batch(da_batch *b, int64_t rows) {
	if (rows <= b->cap) {
		return true;
	}
	int64_t to = b->cap ? b->cap : FIRST_ROWS;
	while (to < rows) {
		to *= 2;
	}
	for (int64_t i = 0; i < b->columns; i++) {
		if (!grow_column(&b->column[i], b->cap, to)) {
			return false;
		}
	}
	b->cap = to;
	return true;
}

// first_null gives the column a bitmap with all bits set.
static bool first_null(da_column *c, int64_t cap) {
	if (!c->valid && !grow((void **)&c->valid, bitmap_words(cap) * 8)) {
		return false;
	}
	memset(c->valid, 0xff, bitmap_words(cap) * 8);
	return true;
}

// append_nulls clears the bits of the NULLs among n rows.
static bool append_nulls(da_column *c, int64_t at, int64_t cap, const uint64_t *valid, int64_t start, int64_t n) {
	for (int64_t done = 0; valid && done < n; done += 64) {
		int64_t src = start + done, left = n - done;
		int64_t word = src >> 6, shift = src & 63;
		uint64_t bits = valid[word] >> shift;
		if (shift && left > 64 - shift) {
			bits |= valid[word + 1] << (64 - shift);
		}
		uint64_t null = ~bits;
		if (left < 64) {
			null &= ((uint64_t)1 << left) - 1;
		}
		if (!null) {
			continue;
		}
		if (c->nulls == 0 && !first_null(c, cap)) {
			return false;
		}
		c->nulls += __builtin_popcountll(null);
		int64_t dst = at + done;
		word = dst >> 6, shift = dst & 63;
		c->valid[word] &= ~(null << shift);
		if (shift && null >> (64 - shift)) {
			c->valid[word + 1] &= ~(null >> (64 - shift));
		}
	}
	return true;
}

static const char *append_bytes(da_column *c, int64_t at, const duckdb_string_t *s, const uint64_t *valid,
                                int64_t start, int64_t n) {
	int64_t pos = c->offsets[at];
	int64_t need = pos + string_bytes(s, valid, start, n);
	if (need > INT32_MAX) {
		return "a value of the result is larger than 2 GiB";
	}
	if ((size_t)need + SLACK > c->data_cap) {
		size_t cap = c->data_cap ? c->data_cap * 2 : FIRST_BYTES;
		if (cap < (size_t)need + SLACK) {
			cap = (size_t)need + SLACK;
		}
		if (!grow((void **)&c->data, cap)) {
			return no_memory;
		}
		c->data_cap = cap;
	}
	for (int64_t i = 0; i < n; i++) {
		if (is_valid(valid, start + i)) {
			const duckdb_string_t *v = &s[start + i];
			uint32_t len = v->value.inlined.length;
			if (len <= sizeof v->value.inlined.inlined) {
				memcpy(c->data + pos, v->value.inlined.inlined, sizeof v->value.inlined.inlined);
			} else {
				memcpy(c->data + pos, v->value.pointer.ptr, len);
			}
			pos += len;
		}
		c->offsets[at + i + 1] = (int32_t)pos;
	}
	return NULL;
}

// append_bool does not read bools: the byte of a NULL can be any.
static void append_bool(uint8_t *bitmap, int64_t at, const uint8_t *v, const uint64_t *valid, int64_t start, int64_t n) {
	for (int64_t i = 0; i < n; i++) {
		bool set = v[start + i] != 0 && is_valid(valid, start + i);
		bitmap[(at + i) >> 3] |= (uint8_t)(set << ((at + i) & 7));
	}
}

#define WIDEN(TYPE)                                                                                                    \
	for (int64_t i = 0; i < n; i++) {                                                                                  \
		int64_t x = ((const TYPE *)src)[start + i];                                                                    \
		((int64_t *)dst)[2 * i] = x;                                                                                   \
		((int64_t *)dst)[2 * i + 1] = x >> 63;                                                                         \
	}

static void append_fixed(da_column *c, int64_t at, const void *src, int64_t start, int64_t n) {
	uint8_t *dst = c->data + at * c->width;
	switch (c->kind) {
	case DA_DECIMAL16:
		WIDEN(int16_t)
		break;
	case DA_DECIMAL32:
		WIDEN(int32_t)
		break;
	case DA_DECIMAL64:
		WIDEN(int64_t)
		break;
	case DA_UUID:
		for (int64_t i = 0; i < n; i++) {
			const uint64_t *half = (const uint64_t *)src + 2 * (start + i);
			uint64_t high = __builtin_bswap64(half[1] ^ (uint64_t)1 << 63), low = __builtin_bswap64(half[0]);
			memcpy(dst + 16 * i, &high, 8);
			memcpy(dst + 16 * i + 8, &low, 8);
		}
		break;
	default:
		memcpy(dst, (const uint8_t *)src + start * c->width, n * c->width);
	}
}

// zero_nulls clears the values of NULLs: the engine leaves there what its
// memory held before, which can be rows of another caller.
static void zero_nulls(da_column *c, int64_t at, const uint64_t *valid, int64_t start, int64_t n) {
	for (int64_t i = 0; valid && i < n;) {
		int64_t src = start + i, left = 64 - (src & 63);
		uint64_t null = ~valid[src >> 6] >> (src & 63);
		if (left > n - i) {
			left = n - i;
		}
		for (; null; null &= null - 1) {
			int64_t k = __builtin_ctzll(null);
			if (k >= left) {
				break;
			}
			memset(c->data + (at + i + k) * c->width, 0, c->width);
		}
		i += left;
	}
}

const char *da_batch_append(da_batch *b, duckdb_data_chunk chunk, int64_t start, int64_t n) {
	if (!grow_batch(b, b->rows + n)) {
		return no_memory;
	}
	b->bytes += n * b->row_bytes;
	for (int64_t i = 0; i < b->columns; i++) {
		da_column *c = &b->column[i];
		duckdb_vector v = duckdb_data_chunk_get_vector(chunk, i);
		const void *src = duckdb_vector_get_data(v);
		const uint64_t *valid = duckdb_vector_get_validity(v);
		if (!append_nulls(c, b->rows, b->cap, valid, start, n)) {
			return no_memory;
		}
		if (c->kind == DA_BYTES) {
			const char *fault = append_bytes(c, b->rows, src, valid, start, n);
			if (fault) {
				return fault;
			}
			b->bytes += c->offsets[b->rows + n] - c->offsets[b->rows];
		} else if (c->kind == DA_BOOL) {
			append_bool(c->data, b->rows, src, valid, start, n);
		} else {
			append_fixed(c, b->rows, src, start, n);
			zero_nulls(c, b->rows, valid, start, n);
		}
	}
	b->rows += n;
	return NULL;
}

void da_batch_reset(da_batch *b) {
	for (int64_t i = 0; i < b->columns; i++) {
		da_column *c = &b->column[i];
		c->nulls = 0;
		if (c->kind == DA_BOOL && c->data) {
			memset(c->data, 0, bitmap_words(b->rows) * 8);
		}
		if (c->data_cap > KEEP_BYTES) {
			free(c->data);
			c->data = NULL;
			c->data_cap = 0;
		}
	}
	b->rows = b->bytes = 0;
}

void da_batch_free(da_batch *b) {
	for (int64_t i = 0; i < b->columns; i++) {
		free(b->column[i].valid);
		free(b->column[i].data);
		free(b->column[i].offsets);
	}
	free(b->column);
	*b = (da_batch){0};
}
