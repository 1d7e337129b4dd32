package bqtest

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
)

func (x *translator) literal(e ast.Expr) (val, error) {
	lit := func(kind, text, sql string) (val, error) { return val{sql: sql, typ: scalar(kind), lit: &text}, nil }
	switch e := e.(type) {
	case *ast.NullLiteral:
		return val{sql: "NULL"}, nil
	case *ast.BoolLiteral:
		return of("BOOL", "%t", e.Value), nil
	case *ast.IntLiteral:
		n, ok := new(big.Int).SetString(e.Value, 0)
		if !ok || !n.IsInt64() && (!n.IsUint64() || n.Uint64() > 1<<63) {
			return val{}, invalid("Invalid integer literal: %s", e.Value)
		}
		if !n.IsInt64() { // only behind a minus
			return val{sql: n.String() + "::HUGEINT", typ: scalar("INT64")}, nil
		}
		return lit("INT64", n.String(), "("+n.String()+")::BIGINT")
	case *ast.FloatLiteral:
		return lit("FLOAT64", e.Value, literal(e.Value)+"::DOUBLE")
	case *ast.StringLiteral:
		if strings.IndexByte(e.Value, 0) >= 0 {
			return lit("STRING", e.Value, textWithZero(e.Value))
		}
		return lit("STRING", e.Value, literal(e.Value))
	case *ast.BytesLiteral:
		var b strings.Builder
		for _, c := range e.Value {
			fmt.Fprintf(&b, `\x%02X`, c)
		}
		return of("BYTES", "'%s'::BLOB", b.String()), nil
	case *ast.DateLiteral:
		return typed("DATE", e.Value.Value)
	case *ast.TimestampLiteral:
		return typed("TIMESTAMP", e.Value.Value)
	case *ast.NumericLiteral:
		return typed("NUMERIC", e.Value.Value)
	case *ast.IntervalLiteralRange:
		return intervalRange(e)
	}
	return val{}, cannot("%T", e)
}

func textWithZero(s string) string {
	return "(" + strings.ReplaceAll(literal(s), "\x00", "' || chr(0) || '") + ")"
}

// typed is a literal with a type before it. What BigQuery writes is what the
// engine reads, but for a time zone's name, which is refused.
func typed(kind, text string) (val, error) {
	if kind == "BIGNUMERIC" {
		return val{}, cannot("BIGNUMERIC literals")
	}
	if kind == "TIMESTAMP" && !strings.HasSuffix(text, "+00") {
		return val{}, cannot("TIMESTAMP literals that are not in UTC")
	}
	return val{sql: "CAST(" + literal(text) + " AS " + engineTypes[kind] + ")", typ: scalar(kind)}, nil
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
