package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
)

// declared is the type with which a column or a field is declared.
type declared struct {
	oid  uint32
	mod  int32 // the type modifier, whose meaning depends on the type; -1: none
	dims int16 // of an array; 0: not declared
}

// pgType is a row of pg_type, with the attributes of a composite type.
type pgType struct {
	name   string // as the engine writes it
	kind   string // typtype: b, c, d, e, p, r, m
	elem   uint32 // of an array, else 0
	base   declared
	fields []field
}

type field struct {
	name string
	declared
}

// types are the types of a relation's columns, and the types that these consist
// of.
type types map[uint32]*pgType

const findTypes = `
SELECT t.oid, format_type(t.oid, NULL), t.typtype::text, CASE WHEN t.typlen = -1 AND t.typcategory = 'A' THEN t.typelem ELSE 0 END, t.typbasetype, t.typtypmod, t.typndims,
  coalesce((SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped), '{}'),
  coalesce((SELECT array_agg(a.atttypid::bigint ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped), '{}'),
  coalesce((SELECT array_agg(a.atttypmod ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped), '{}')
FROM pg_type t WHERE t.oid = ANY($1)`

// readTypes reads the types and those that they consist of.
func readTypes(ctx context.Context, conn *pgx.Conn, of []declared) (types, error) {
	known := types{}
	var next []uint32
	want := func(oid uint32) {
		if _, ok := known[oid]; !ok && oid != 0 {
			known[oid] = nil
			next = append(next, oid)
		}
	}
	for _, d := range of {
		want(d.oid)
	}
	for len(next) > 0 {
		rows, err := conn.Query(ctx, findTypes, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for rows.Next() {
			var oid uint32
			t := &pgType{}
			var dims int32
			var names []string
			var oids []int64
			var mods []int32
			if err := rows.Scan(&oid, &t.name, &t.kind, &t.elem, &t.base.oid, &t.base.mod, &dims, &names, &oids, &mods); err != nil {
				rows.Close()
				return nil, err
			}
			t.base.dims = int16(dims)
			for i, name := range names {
				t.fields = append(t.fields, field{name, declared{oid: uint32(oids[i]), mod: mods[i]}})
				want(uint32(oids[i]))
			}
			known[oid] = t
			want(t.elem)
			want(t.base.oid)
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// base is the type that a domain's values have.
func (ts types) base(d declared) declared {
	for range maxTypeDepth {
		t := ts[d.oid]
		if t == nil || t.kind != "d" {
			break
		}
		d = t.base
	}
	return d
}

// maxTypeDepth limits how deeply nested types are resolved. Types at a greater
// depth become text.
const maxTypeDepth = 20

// format writes the type as predicates need it: with precision and scale for
// numeric.
func (t *pgType) format(mod int32) string {
	if precision, scale, ok := precisionOf(mod); ok && t.name == "numeric" {
		return fmt.Sprintf("numeric(%d,%d)", precision, scale)
	}
	return t.name
}

// fields are the fields of a composite type or of the elements of a list.
func (ts types) fields(d declared, depth int) []api.Column {
	d = ts.base(d)
	t := ts[d.oid]
	if t == nil || depth > maxTypeDepth {
		return nil
	}
	if t.elem != 0 {
		return ts.fields(declared{oid: t.elem, mod: d.mod}, depth+1)
	}
	var out []api.Column
	for _, f := range t.fields {
		base := ts.base(f.declared)
		c := api.Column{Name: f.name, Type: "unknown", Nullable: true, Fields: ts.fields(base, depth+1)}
		if ft := ts[base.oid]; ft != nil {
			c.Type = ft.format(base.mod)
		}
		out = append(out, c)
	}
	return out
}

// precisionOf returns the precision and scale that numeric(p,s) declares.
func precisionOf(mod int32) (precision, scale int32, ok bool) {
	if mod < 4 {
		return 0, 0, false
	}
	mod -= 4
	precision, scale = mod>>16&0xFFFF, mod&0x7FF
	if scale >= 1024 { // a signed number of eleven bits
		scale -= 2048
	}
	return precision, scale, true
}

// textOf returns the reason why a type becomes text.
func textOf(t *pgType) string {
	if t == nil {
		return "its type is not known"
	}
	name := strings.ToUpper(t.name)
	if strings.ContainsRune(t.name, '.') { // a type of a user
		name = t.name
	}
	switch {
	case t.name == "numeric":
		return "NUMERIC without a precision up to 38 becomes text: CAST(… AS DECIMAL(p,s)) makes it a number again"
	case t.name == "interval":
		return "INTERVAL becomes text: parquet cuts it to milliseconds and has no negative ones"
	case t.kind == "e":
		return fmt.Sprintf("the enumeration %s becomes text: the order and the list of its values are lost", t.name)
	case t.kind == "r" || t.kind == "m":
		return fmt.Sprintf("the range %s becomes text: parquet has no such type", t.name)
	}
	return name + " becomes text: parquet has no such type"
}
