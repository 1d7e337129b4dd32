package api

// Where a join is known from.
const (
	JoinFromKey   = "foreign key" // of the database
	JoinFromModel = "model"       // of the instance
	JoinFromTest  = "test"        // of dbt
	JoinFromNames = "names"       // of columns and tables, and their types: a guess
)

// How many rows of the first table can have the same row of the second, and the other
// way round.
const (
	ManyToOne  = "many-to-one"
	OneToOne   = "one-to-one"
	OneToMany  = "one-to-many"
	ManyToMany = "many-to-many"
)

// Join is a pair of columns by which two tables can be joined.
type Join struct {
	Table    string `json:"table"`
	Column   string `json:"column"`
	To       string `json:"to"`
	ToColumn string `json:"to_column"`
	// Multiplicity is one of the constants; empty: unknown.
	Multiplicity string `json:"multiplicity,omitempty" jsonschema:"many-to-one, one-to-one, one-to-many or many-to-many"`
	KnownFrom    string `json:"known_from" jsonschema:"foreign key, model, test or names"`
}

// TableJoins are the joins of one table.
type TableJoins struct {
	Joins   []Join   `json:"joins"`   // never null
	Caveats []Caveat `json:"caveats"` // what was not looked at; never null
}
