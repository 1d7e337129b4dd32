package snowflake

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/syntax"
	"github.com/agnes-data/da/source"
)

// relation is a table or view as Snowflake describes it now.
type relation struct {
	database, schema, name string
	columns                []column
}

// column is a column and how its values are read.
type column struct {
	api.Column
	codec codec
}

func (r *relation) String() string {
	return quote(r.database) + "." + quote(r.schema) + "." + quote(r.name)
}

func quote(name string) string { return predicate.QuoteIdent(predicate.Snowflake, name) }

func literal(s string) string {
	var b strings.Builder
	syntax.WriteBackslashed(&b, s, '\'')
	return b.String()
}

// named splits the name of a relation as Snowflake does: TABLE, SCHEMA.TABLE or
// DATABASE.SCHEMA.TABLE, in upper case where it is not in quotes.
func (s *Snowflake) named(name string) (*relation, error) {
	var parts []string
	rest, ok := name, true
	for more := true; more && ok; {
		var part string
		if strings.HasPrefix(rest, `"`) {
			var end int
			for end = 1; end < len(rest) && (rest[end] != '"' || strings.HasPrefix(rest[end:], `""`)); end++ {
				if rest[end] == '"' {
					end++
				}
			}
			if ok = end < len(rest) && end > 1; ok {
				part, rest = strings.ReplaceAll(rest[1:end], `""`, `"`), rest[end+1:]
			}
			ok = ok && (rest == "" || rest[0] == '.')
			_, rest, more = strings.Cut(rest, ".")
		} else {
			part, rest, more = strings.Cut(rest, ".")
			part, ok = strings.ToUpper(part), part != "" && !strings.Contains(part, `"`)
		}
		parts = append(parts, part)
	}
	r := &relation{database: strings.ToUpper(s.database), schema: strings.ToUpper(s.schema)}
	switch {
	case !ok || len(parts) > 3:
	case len(parts) == 3:
		r.database, r.schema, r.name = parts[0], parts[1], parts[2]
	case len(parts) == 2:
		r.schema, r.name = parts[0], parts[1]
	default:
		r.name = parts[0]
	}
	if r.database == "" || r.schema == "" || r.name == "" {
		return nil, sourceError(api.KindBadPath, fmt.Sprintf("the relation %s does not name a table of Snowflake", api.Clip(name, 200)), nameHint, nil)
	}
	return r, nil
}

// describe finds a relation and its columns. No warehouse is needed for that.
func (s *Snowflake) describe(ctx context.Context, rel source.Relation) (*relation, error) {
	r, err := s.named(rel.Name)
	if err != nil {
		return nil, err
	}
	names, rows, err := s.table(ctx, "DESCRIBE TABLE "+r.String())
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	for _, row := range rows {
		at := fields(names, row)
		if kind := at["kind"]; kind != "" && kind != "COLUMN" {
			continue
		}
		c := column{Column: api.Column{Name: at["name"], Nullable: at["null?"] != "N", Description: at["comment"]}, codec: codecOf(at["type"])}
		c.Type = c.codec.name
		r.columns = append(r.columns, c)
	}
	return r, nil
}

// fields are the values of a row by the names of their columns, in lower case.
func fields(names []string, row []*string) map[string]string {
	out := map[string]string{}
	for i, name := range names {
		if i < len(row) && row[i] != nil {
			out[strings.ToLower(name)] = *row[i]
		}
	}
	return out
}

// table runs a statement over the catalog, and returns its rows as texts; NULL is nil.
func (s *Snowflake) table(ctx context.Context, statement string) (names []string, rows [][]*string, err error) {
	r, err := s.driver.query(ctx, statement)
	if err != nil {
		return nil, nil, err
	}
	defer r.done()
	rows = r.texts
	for _, b := range r.batches {
		if rows, err = b.texts(ctx, rows); err != nil {
			return nil, nil, err
		}
	}
	if int64(len(rows)) != r.rows {
		return nil, nil, fmt.Errorf("%d rows came, and %d were announced", len(rows), r.rows)
	}
	return r.names, rows, nil
}

func (b batch) texts(ctx context.Context, rows [][]*string) ([][]*string, error) {
	body, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	stream, err := ipc.NewReader(body)
	if err != nil {
		return nil, err
	}
	defer stream.Release()
	for stream.Next() {
		came := stream.RecordBatch()
		for i := range int(came.NumRows()) {
			row := make([]*string, came.NumCols())
			for j, c := range came.Columns() {
				if c.IsValid(i) {
					text := c.ValueStr(i)
					if s, ok := c.(*array.String); ok {
						text = strings.Clone(s.Value(i))
					}
					row[j] = &text
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, stream.Err()
}

// Schema describes a relation.
func (s *Snowflake) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	r, err := s.describe(ctx, rel)
	if err != nil {
		return nil, err
	}
	out := &source.Schema{}
	for _, c := range r.columns {
		out.Columns = append(out.Columns, c.Column)
	}
	if out.Version, err = s.version(ctx, r); err != nil {
		return nil, err
	}
	t, err := s.listed(ctx, r)
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	out.Description, out.RowCount, out.SizeBytes = t["comment"], known(t["rows"]), known(t["bytes"])
	if by := strings.TrimSuffix(strings.TrimPrefix(t["cluster_by"], "LINEAR("), ")"); by != "" {
		for part := range strings.SplitSeq(by, ",") {
			for _, c := range r.columns {
				if name := strings.TrimSpace(part); name == c.Name || name == quote(c.Name) {
					out.ClusteredBy = append(out.ClusteredBy, c.Name)
				}
			}
		}
	}
	return out.Of(rel), nil
}

// listed is a table as SHOW OBJECTS lists it; empty if it does not.
func (s *Snowflake) listed(ctx context.Context, r *relation) (map[string]string, error) {
	names, rows, err := s.table(ctx, "SHOW OBJECTS LIKE "+literal(r.name)+" IN SCHEMA "+quote(r.database)+"."+quote(r.schema))
	for _, row := range rows { // the pattern has wildcards, and ignores case
		if at := fields(names, row); at["name"] == r.name {
			return at, err
		}
	}
	return nil, err
}

// known is a number that is told; 0 is also told of what is not counted.
func known(text string) *int64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		return &n
	}
	return nil
}

// Version implements source.Source.
func (s *Snowflake) Version(ctx context.Context, rel source.Relation) (string, error) {
	r, err := s.describe(ctx, rel)
	if err != nil {
		return "", err
	}
	return s.version(ctx, r)
}

// version is when the rows of a table, or of those below a view, were last changed, and a
// hash of its columns. Empty where Snowflake does not tell.
func (s *Snowflake) version(ctx context.Context, r *relation) (string, error) {
	_, rows, err := s.table(ctx, "SELECT TO_VARCHAR(SYSTEM$LAST_CHANGE_COMMIT_TIME("+literal(r.String())+"))")
	if err != nil {
		var said *Exception
		if errors.As(err, &said) {
			return "", nil
		}
		return "", failure(ctx, err, true)
	}
	if len(rows) != 1 || len(rows[0]) != 1 || rows[0][0] == nil {
		return "", nil
	}
	return fmt.Sprintf("%s %x", *rows[0][0], sha256.Sum256(fmt.Append(nil, r.columns)))[:60], nil
}
