package api

import "strings"

// Where a join is known from.
const (
	JoinFromKey      = "foreign key" // of the database
	JoinFromModel    = "model"       // of the instance
	JoinFromTest     = "test"        // of dbt
	JoinFromContract = "contract"    // of a model of dbt
	JoinFromNames    = "names"       // of columns and tables, and their types: a guess
)

// How many rows of the first table can have the same row of the second, and the other
// way round.
const (
	ManyToOne  = "many-to-one"
	OneToOne   = "one-to-one"
	OneToMany  = "one-to-many"
	ManyToMany = "many-to-many"
)

// Join says by which columns two tables can be joined.
type Join struct {
	Table    string `json:"table"`
	Column   string `json:"column"`
	To       string `json:"to"`
	ToColumn string `json:"to_column"`
	// Multiplicity is one of the constants; empty: unknown.
	Multiplicity string `json:"multiplicity,omitempty" jsonschema:"many-to-one, one-to-one, one-to-many or many-to-many"`
	KnownFrom    string `json:"known_from" jsonschema:"foreign key, model, test, contract or names"`
	// More are the further pairs of a join by several columns: all must be equal.
	More []ColumnPair `json:"more,omitempty" jsonschema:"further pairs that must be equal too"`
}

// ColumnPair are two columns whose values are equal where rows belong together.
type ColumnPair struct {
	Column   string `json:"column"`
	ToColumn string `json:"to_column"`
}

// Pairs are all pairs of columns of the join.
func (j Join) Pairs() []ColumnPair { return append([]ColumnPair{{j.Column, j.ToColumn}}, j.More...) }

// Ends writes the columns of each table: lines.order_id, or lines.(order_id, line_no).
func (j Join) Ends() (from, to string) {
	if len(j.More) == 0 {
		return j.Table + "." + j.Column, j.To + "." + j.ToColumn
	}
	var own, other []string
	for _, p := range j.Pairs() {
		own, other = append(own, p.Column), append(other, p.ToColumn)
	}
	return j.Table + ".(" + strings.Join(own, ", ") + ")", j.To + ".(" + strings.Join(other, ", ") + ")"
}

// TableJoins are the joins of one table.
type TableJoins struct {
	Joins   []Join   `json:"joins"`   // never null
	Caveats []Caveat `json:"caveats"` // what was not looked at; never null
}
