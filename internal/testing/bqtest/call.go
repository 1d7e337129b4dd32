package bqtest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
)

// call translates a call.
func (x *translator) call(e *ast.CallExpr) (val, error) {
	if len(e.Func.Idents) != 1 || e.Distinct || len(e.NamedArgs) > 0 || e.NullHandling != nil || e.Having != nil || e.OrderBy != nil || e.Limit != nil {
		return val{}, cannot("this call of %s", e.Func.SQL())
	}
	name := strings.ToUpper(e.Func.Idents[0].Name)
	var exprs []ast.Expr
	for _, a := range e.Args {
		arg, ok := a.(*ast.ExprArg)
		if !ok {
			return val{}, cannot("this call of %s", name)
		}
		exprs = append(exprs, arg.Expr)
	}
	switch {
	case name == callLiteral && len(exprs) == 2:
		kind, _ := exprs[0].(*ast.StringLiteral)
		text, _ := exprs[1].(*ast.StringLiteral)
		return typed(kind.Value, text.Value)
	case name == "IF" && len(exprs) == 3:
		return x.ifs(exprs[0], exprs[1], exprs[2])
	}
	if out, known, err := x.dateCall(name, exprs); known || err != nil {
		return out, err
	}
	args := make([]val, len(exprs))
	for i, a := range exprs {
		var err error
		if args[i], err = x.expr(a); err != nil {
			return val{}, err
		}
	}
	for _, table := range []map[string]function{texts, numbers, choices, moment, aggregates} {
		if f, ok := table[name]; ok {
			return f(args)
		}
	}
	return val{}, cannot("the function %s", name)
}

type function func(args []val) (val, error)

// kinds is the signature of a call.
func kinds(args []val) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a.typ.kind
	}
	return strings.Join(list, " ")
}

// blanks are what TRIM takes off without being told what.
const blanks = " \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

func trimming(engine string) function {
	return func(args []val) (val, error) {
		switch kinds(args) {
		case "STRING":
			return of("STRING", "%s(%s, %s)", engine, args[0].sql, literal(blanks)), nil
		case "STRING STRING":
			return of("STRING", "%s(%s, %s)", engine, args[0].sql, args[1].sql), nil
		}
		return val{}, cannot("%s of %s", engine, kinds(args))
	}
}

// plainly calls a function of the engine's that is the same.
func plainly(engine, signature, kind string) function {
	return func(args []val) (val, error) {
		if got := kinds(args); got != signature {
			return val{}, cannot("%s of %s", engine, got)
		}
		list := make([]string, len(args))
		for i, a := range args {
			list[i] = a.sql
		}
		return of(kind, "%s(%s)", engine, strings.Join(list, ", ")), nil
	}
}

var texts = map[string]function{
	"LOWER": plainly("lower", "STRING", "STRING"), "UPPER": plainly("upper", "STRING", "STRING"),
	"REPLACE":     plainly("replace", "STRING STRING STRING", "STRING"),
	"STARTS_WITH": plainly("starts_with", "STRING STRING", "BOOL"), "ENDS_WITH": plainly("ends_with", "STRING STRING", "BOOL"),
	"TRIM": trimming("trim"), "LTRIM": trimming("ltrim"), "RTRIM": trimming("rtrim"),
	"LENGTH": func(args []val) (val, error) {
		switch kinds(args) {
		case "STRING":
			return of("INT64", "length(%s)", args[0].sql), nil
		case "BYTES":
			return of("INT64", "octet_length(%s)", args[0].sql), nil
		}
		return val{}, cannot("LENGTH of %s", kinds(args))
	},
	"CONCAT": func(args []val) (val, error) {
		list := make([]string, len(args))
		for i, a := range args {
			if !a.typ.is("STRING", "") {
				return val{}, cannot("CONCAT of %s", kinds(args))
			}
			list[i] = a.sql
		}
		return of("STRING", "%s", strings.Join(list, " || ")), nil
	},
	"SUBSTR": substring, "SUBSTRING": substring,
	"REGEXP_CONTAINS": plainly("regexp_matches", "STRING STRING", "BOOL"),
	"REGEXP_EXTRACT": func(args []val) (val, error) {
		if kinds(args) != "STRING STRING" || args[1].lit == nil {
			return val{}, cannot("REGEXP_EXTRACT of %s", kinds(args))
		}
		re, err := regexp.Compile(*args[1].lit)
		if err != nil || re.NumSubexp() > 1 {
			return val{}, cannot("this regular expression")
		}
		return of("STRING", "CASE WHEN regexp_matches(%[1]s, %[2]s) THEN regexp_extract(%[1]s, %[2]s, %[3]d) END", args[0].sql, args[1].sql, re.NumSubexp()), nil
	},
	"TO_JSON_STRING": toJSON,
}

// substring counts from the end for negative positions, and takes 0 for 1.
func substring(args []val) (val, error) {
	if k := kinds(args); k != "STRING INT64" && k != "STRING INT64 INT64" {
		return val{}, cannot("SUBSTR of %s", k)
	}
	start := fmt.Sprintf("CASE WHEN %[2]s > 0 THEN %[2]s WHEN %[2]s = 0 THEN 1 ELSE greatest(length(%[1]s) + %[2]s + 1, 1) END", args[0].sql, args[1].sql)
	if len(args) == 2 {
		return of("STRING", "substring(%s, %s)", args[0].sql, start), nil
	}
	return of("STRING", "CASE WHEN %[3]s < 0 THEN error('Third argument in SUBSTR() cannot be negative') ELSE substring(%[1]s, %[2]s, %[3]s) END",
		args[0].sql, start, args[2].sql), nil
}

// float computes with FLOAT64, whatever number comes; an error of the engine's
// is one in GoogleSQL too.
func float(format string) function {
	return func(args []val) (val, error) {
		list := make([]any, len(args))
		for i, a := range args {
			if !a.typ.is("INT64", "FLOAT64", "") {
				return val{}, cannot("a computation with %s", a.typ.kind)
			}
			list[i] = "CAST(" + a.sql + " AS DOUBLE)"
		}
		if strings.Count(format, "%s") != len(args) {
			return val{}, cannot("this number of arguments")
		}
		return of("FLOAT64", format, list...), nil
	}
}

// rounding keeps NUMERIC, and makes FLOAT64 of INT64.
func rounding(engine string) function {
	return func(args []val) (val, error) {
		if len(args) == 0 || len(args) > 1 && args[1].typ.kind != "INT64" {
			return val{}, cannot("%s of this", engine)
		}
		more := ""
		if len(args) > 1 {
			more = ", CAST(" + args[1].sql + " AS INTEGER)"
		}
		switch args[0].typ.kind {
		case "INT64", "FLOAT64":
			return of("FLOAT64", "%s(CAST(%s AS DOUBLE)%s)", engine, args[0].sql, more), nil
		case "NUMERIC":
			if len(args) > 1 && args[1].lit == nil {
				return val{}, cannot("%s of NUMERIC to a computed place", engine)
			}
			return of("NUMERIC", "CAST(%s(%s%s) AS DECIMAL(38,9))", engine, args[0].sql, more), nil
		}
		return val{}, cannot("%s of %s", engine, args[0].typ.kind)
	}
}

// same keeps the type of its argument.
func same(engine string) function {
	return func(args []val) (val, error) {
		if len(args) != 1 || !args[0].typ.numeric() {
			return val{}, cannot("%s of %s", engine, kinds(args))
		}
		return val{sql: "CAST(" + engine + "(" + args[0].sql + ") AS " + args[0].typ.engine() + ")", typ: args[0].typ}, nil
	}
}

var numbers = map[string]function{
	"ABS": same("abs"), "SIGN": same("bq_sign"),
	"CEIL": rounding("ceil"), "FLOOR": rounding("floor"), "ROUND": rounding("round"),
	"SQRT": float("sqrt(%s)"), "LN": float("ln(%s)"), "EXP": float("bq_exp(%s)"), "POWER": float("bq_pow(%s, %s)"),
	"LOG": func(args []val) (val, error) {
		if len(args) == 2 {
			return float("bq_div(ln(%s), ln(%s))")(args)
		}
		return float("ln(%s)")(args)
	},
	"MOD": func(args []val) (val, error) {
		if kinds(args) != "INT64 INT64" {
			return val{}, cannot("MOD of %s", kinds(args))
		}
		return of("INT64", "bq_mod(%s, %s)", args[0].sql, args[1].sql), nil
	},
}

// extreme is GREATEST or LEAST: NULL wins over all, then NaN.
func extreme(engine string) function {
	return func(args []val) (val, error) {
		t, err := supertype(args...)
		if err != nil {
			return val{}, err
		}
		var list, nulls, nans []string
		for _, a := range args {
			v := as(a, t)
			list, nulls = append(list, v.sql), append(nulls, v.sql+" IS NULL")
			nans = append(nans, "isnan("+v.sql+")")
		}
		nan := ""
		if t.kind == "FLOAT64" {
			nan = " WHEN " + strings.Join(nans, " OR ") + " THEN 'nan'::DOUBLE"
		}
		return val{sql: "(CASE WHEN " + strings.Join(nulls, " OR ") + " THEN NULL" + nan + " ELSE " + engine + "(" + strings.Join(list, ", ") + ") END)", typ: t}, nil
	}
}

func coalesce(args []val) (val, error) {
	t, err := supertype(args...)
	if err != nil {
		return val{}, err
	}
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = as(a, t).sql
	}
	return val{sql: "coalesce(" + strings.Join(list, ", ") + ")", typ: t}, nil
}

var choices = map[string]function{
	"GREATEST": extreme("greatest"), "LEAST": extreme("least"), "COALESCE": coalesce, "IFNULL": coalesce,
	"NULLIF": func(args []val) (val, error) {
		if len(args) != 2 {
			return val{}, invalid("NULLIF takes two arguments")
		}
		a, b, err := unify(args[0], args[1])
		if err != nil {
			return val{}, err
		}
		c, err := compare(ast.OpEqual, a, b)
		return val{sql: "(CASE WHEN " + c.sql + " THEN NULL ELSE " + a.sql + " END)", typ: orKind(a, b)}, err
	},
}

func aggregate(engine string, results map[string]string) function {
	return func(args []val) (val, error) {
		if len(args) != 1 || results[args[0].typ.kind] == "" {
			return val{}, cannot("%s of %s", engine, kinds(args))
		}
		return of(results[args[0].typ.kind], "%s(%s)", engine, args[0].sql), nil
	}
}

var (
	ordered = map[string]string{"INT64": "INT64", "NUMERIC": "NUMERIC", "STRING": "STRING", "BYTES": "BYTES", "DATE": "DATE",
		"DATETIME": "DATETIME", "TIMESTAMP": "TIMESTAMP", "TIME": "TIME"}
	aggregates = map[string]function{
		"MIN": aggregate("min", ordered), "MAX": aggregate("max", ordered),
		"SUM":     aggregate("sum", map[string]string{"INT64": "INT64", "NUMERIC": "NUMERIC", "FLOAT64": "FLOAT64"}),
		"AVG":     aggregate("avg", map[string]string{"INT64": "FLOAT64", "FLOAT64": "FLOAT64"}),
		"COUNTIF": aggregate("count_if", map[string]string{"BOOL": "INT64"}),
		"COUNT": func(args []val) (val, error) {
			if len(args) != 1 {
				return val{}, cannot("this COUNT")
			}
			return of("INT64", "count(%s)", args[0].sql), nil
		},
	}
)
