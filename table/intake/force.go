package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/table/infer"
)

// MaxDelimiter is the length of the longest delimiter, in bytes.
const MaxDelimiter = 8

// Unescaped replaces escapes such as \t in a delimiter, for people who cannot
// type the character.
func Unescaped(delimiter string) string {
	return strings.NewReplacer(`\t`, "\t", `\x1f`, "\x1f", `\x01`, "\x01").Replace(delimiter)
}

// Check validates the options by themselves, whatever the file.
func (o Options) Check() error {
	if len(o.Delimiter) > MaxDelimiter {
		return &api.Error{Code: api.CodeValidation, Message: "the delimiter is too long to be one",
			Hint: fmt.Sprintf("Delimiters have at most %d bytes.", MaxDelimiter)}
	}
	if o.Encoding != "" {
		if _, err := knownEncoding(o.Encoding); err != nil {
			return err
		}
	}
	if err := o.checkHeader(); err != nil {
		return err
	}
	for _, name := range o.Types {
		if err := (&Column{}).become(name); err != nil {
			return err
		}
	}
	return o.hints(&infer.Hints{})
}

func (o Options) checkHeader() error {
	if o.HeaderLine < 0 || o.HeaderLine > 0 && o.NoHeader {
		return &api.Error{Code: api.CodeValidation, Message: "the header line is less than 1, or given for a file without a header",
			Hint: "Lines count from 1. Say which line names the columns, or that none does.", Details: map[string]any{"header_line": o.HeaderLine}}
	}
	if o.Table < 0 || o.Table > 0 && (o.NoHeader || o.HeaderLine > 0 || o.Range != "") {
		return &api.Error{Code: api.CodeValidation, Message: "the table's number is less than 1, or given beside a range or a header line",
			Hint: "Tables count from 1. Say which table is meant, or where it is.", Details: map[string]any{"table": o.Table}}
	}
	return nil
}

// Fit refuses options that mean nothing for a kind of file: to pass over them
// would look as if they had been heeded.
func (o Options) Fit(k format.Kind) error {
	for _, x := range []struct {
		name  string
		given bool
		kinds []format.Kind // that it means something for
	}{
		{"delimiter", o.Delimiter != "", []format.Kind{format.Text}},
		{"encoding", o.Encoding != "", []format.Kind{format.Text}},
		{"no_header", o.NoHeader, []format.Kind{format.Text, format.Sheet}},
		{"header_line", o.HeaderLine > 0, []format.Kind{format.Text, format.Sheet}},
		{"sheet", o.Sheet != "", []format.Kind{format.Sheet, format.DuckDB, format.SQLite}},
		{"range", o.Range != "", []format.Kind{format.Sheet}},
		{"table", o.Table > 0, []format.Kind{format.Text, format.Sheet}},
		{"types", len(o.Types) > 0, []format.Kind{format.Text, format.Sheet, format.JSON}},
		{"date_format", o.DateFormat != "", []format.Kind{format.Text, format.Sheet, format.JSON}},
	} {
		if x.given && !slices.Contains(x.kinds, k) {
			return &api.Error{
				Code: api.CodeValidation, Kind: api.KindOption,
				Message: fmt.Sprintf("the file is %s, for which %s means nothing", k.Label(), strings.ReplaceAll(x.name, "_", " ")),
				Hint:    "Leave it away.", Details: map[string]any{"option": x.name},
			}
		}
	}
	return nil
}

// Retype applies the caller's types to columns that somebody else has determined,
// and returns the caller's hints about dates.
func (o Options) Retype(cols []Column) (infer.Hints, error) {
	var h infer.Hints
	if err := o.hints(&h); err != nil {
		return h, err
	}
	return h, o.force(cols, h)
}

// hints puts the caller's order of dates into h.
func (o Options) hints(h *infer.Hints) error {
	if o.DateFormat == "" {
		return nil
	}
	f := strings.ToUpper(o.DateFormat)
	if strings.Contains(f, "%") {
		f = strings.NewReplacer("%E", "%D", "%B", "%M").Replace(f)
	}
	d, m, y := strings.IndexByte(f, 'D'), strings.IndexByte(f, 'M'), strings.IndexByte(f, 'Y')
	switch {
	case d < 0 || m < 0 || y < 0:
	case y < m && m < d:
		h.Order = infer.YMD
	case d < m && m < y:
		h.Order = infer.DMY
	case m < d && d < y:
		h.Order = infer.MDY
	}
	if h.Order == 0 {
		return &api.Error{
			Code: api.CodeValidation, Message: fmt.Sprintf("date format %q is not understood", o.DateFormat),
			Hint: "Give the order of day, month and year: D/M/Y, M/D/Y, Y-M-D, YYYYMMDD or %d.%m.%Y.",
		}
	}
	h.Compact = f == "YYYYMMDD" || f == "%Y%M%D"
	return nil
}

// force applies the caller's types to columns.
func (o Options) force(cols []Column, h infer.Hints) error {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	wanted := make([]string, 0, len(o.Types))
	for name := range o.Types {
		wanted = append(wanted, name)
	}
	slices.Sort(wanted)
	for _, name := range wanted {
		i := slices.Index(names, name)
		if i < 0 {
			i = slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
		}
		if i < 0 {
			e := &api.Error{
				Code: api.CodeValidation, Message: fmt.Sprintf("there is no column %q to give a type", name),
				Details: map[string]any{"column": name, "suggestions": suggest.Near(name, names)},
			}
			if near := suggest.Near(name, names); len(near) > 0 {
				e.Hint = fmt.Sprintf("Did you mean %s?", strings.Join(near, " or "))
			}
			return e
		}
		if err := cols[i].become(o.Types[name]); err != nil {
			return err
		}
		if c := &cols[i]; c.Order == 0 {
			c.Order, c.Compact = h.Order, h.Compact
		}
	}
	return nil
}

// become changes a column's type to the one named.
func (c *Column) become(name string) error {
	d := c.Decision
	base, args, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), "(")
	d.Near, d.Ambiguous, d.Other, d.Note, d.NoteAt, d.Precision, d.Scale = nil, "", 0, "", infer.CellRef{}, 0, 0
	if f := infer.FormatOf(base); f != 0 {
		d.Format, base = f, "decimal"
		if f == c.Grouped() {
			base = "integer"
		}
	} else if c.Other != 0 {
		d.Ambiguous, d.Other = c.Ambiguous, c.Other // a type alone says nothing of the marks
	}
	switch strings.TrimSpace(base) {
	case "integer", "int", "bigint", "long":
		d.Type, d.Precision = infer.Integer, 18
		if c.Other != 0 { // of fractions nothing would be left
			d.Format, d.Ambiguous, d.Other = c.Grouped(), "", 0
		}
	case "hugeint":
		d.Type, d.Precision = infer.Integer, 38
	case "decimal", "numeric":
		d.Type, d.Precision, d.Scale = infer.Decimal, 18, 3
		if c.Type == infer.Decimal {
			d.Precision, d.Scale = c.Precision, c.Scale
		}
		if args != "" && !decimalArgs(args, &d) {
			return badType(name)
		}
	case "float", "double", "real":
		d.Type = infer.Float
	case "boolean", "bool":
		d.Type = infer.Boolean
	case "string", "text", "varchar":
		d.Type = infer.String
	case "date":
		d.Type = infer.Date
	case "time":
		d.Type = infer.Time
	case "timestamp", "datetime":
		d.Type = infer.Timestamp
	case "timestamptz":
		d.Type = infer.TimestampTZ
	case "json":
		d.Type = infer.JSON
	default:
		return badType(name)
	}
	if d.Type == c.Type && args == "" {
		d.Precision, d.Scale = c.Precision, c.Scale
	}
	if d.Type == infer.String {
		d.NullWords, d.Ambiguous, d.Other, d.Failed = nil, "", 0, 0
	}
	c.Decision, c.Forced = d, true
	return nil
}

func decimalArgs(args string, d *infer.Decision) bool {
	p, s, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(args), ")"), ",")
	var err1, err2 error
	d.Precision, err1 = strconv.Atoi(strings.TrimSpace(p))
	d.Scale = 0
	if s != "" {
		d.Scale, err2 = strconv.Atoi(strings.TrimSpace(s))
	}
	return err1 == nil && err2 == nil && d.Precision >= 1 && d.Precision <= 38 && d.Scale >= 0 && d.Scale <= d.Precision
}

func badType(name string) error {
	return &api.Error{
		Code: api.CodeValidation, Message: fmt.Sprintf("type %q is not known", name),
		Hint: "Types are integer, hugeint, decimal(p,s), float, boolean, string, date, time, timestamp, timestamptz and json. 1.234,5 is for numbers that are written so.",
	}
}
