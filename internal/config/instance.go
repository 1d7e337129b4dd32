package config

import (
	"time"

	"github.com/agnes-data/da/api"
)

// Instance is what an instance file says, with defaults filled in and paths
// made absolute.
type Instance struct {
	File   string // absolute
	Server Server
	// StateNamed says that the file names the folder of the state itself.
	StateNamed bool
	API        API
	Limits     Limits
	Metrics    Metrics
	Agent      Model    // answers users' questions
	OpenID     OpenID   // signs users in to the page
	Files      *Files   // of each user; nil: none are kept
	Sources    []Source // in file order
	Tables     []Table  // in file order
}

// Server is how the instance is served.
type Server struct {
	Listen   string // host:port
	StateDir string // absolute
	// MaxConnections is how many connections may be open at a time; 0: a quarter of
	// the descriptors that the process may have.
	MaxConnections int64
}

// API holds the limits of the service.
type API struct {
	Scan            ScanLimits
	CatalogCacheTTL time.Duration // 0: not cached
	SchemaCacheTTL  time.Duration
	SampleCacheTTL  time.Duration
}

// ScanLimits bound scans and what they cost.
type ScanLimits struct {
	MaxLimit             int64 // rows
	MaxResultBytes       int64 // of Arrow buffers
	MaxConcurrentPerUser int64
	MaxDailyBytesPerUser int64
	MaxSessionBytes      int64   // of a conversation that names no budget; 0: none
	BQCostPerTBUSD       float64 // per 2^40 bytes
	RequestTimeout       time.Duration
}

// Metrics says what /metrics shows.
type Metrics struct {
	PerUser bool // label by user id
}

// Source is one configured place that holds data.
type Source struct {
	Name string
	Type api.SourceType
	// At is the source's place, as file:line:column, for later errors.
	At string
	// Text and Size hold the keys of the source's type by name; a key that is
	// not given is not there. Paths are absolute, sizes in bytes.
	Text map[string]string
	Size map[string]int64
}

// Table is one table that the instance offers.
type Table struct {
	ID            string
	Name          string // for display; the id if not given
	Source        string
	Relation      string // the path or relation inside the source
	QueryMode     api.QueryMode
	Description   string
	Public        bool
	Label         string // shown as source type; empty: the source's own
	WhereExamples []string
	// RefreshEvery is how long the file of a local table stays as it is before
	// the server looks at the source again; 0: at each sync.
	RefreshEvery time.Duration
	// Reading is how the files of delimited text are read; nil: as they show.
	Reading *Reading
}

// Reading says of delimited text what its content leaves open; empty fields do
// not.
type Reading struct {
	Delimiter  string
	Encoding   string
	DateFormat string
	NoHeader   bool
	Types      map[string]string // column → type
}

// Kind is the type of a source's key.
type Kind int

const (
	// Text is any string.
	Text Kind = iota
	// Path is a file or folder, relative to the instance file.
	Path
	// Dir is a Path to a folder that must be there.
	Dir
	// File is a Path to a file that must be there.
	File
	// Size is a number of bytes with a unit, as in 512MB.
	Size
)

// Key is one key of a source's type.
type Key struct {
	Name     string
	Kind     Kind
	Required bool
	// Check says what is wrong with a file that is there, behind its name; empty:
	// nothing. It repeats nothing of what is in it. nil: it is not looked into.
	Check func(path string) string
}

// SourceType describes a type of source to the reader of instance files.
type SourceType struct {
	Type api.SourceType
	// Available says that this build can open such sources.
	Available bool
	// Keys are those beside type; nil for a type of which nothing is known yet.
	Keys []Key
	// OneOf lists groups of keys of which exactly one must be there.
	OneOf [][]string
	// TableKey is how a table names its relation: "path" or "relation".
	TableKey string
	// CheckReading says what would be right in place of a value that a key of
	// Reading has for the files of a path; empty: the value is. nil: tables of
	// this type have no such keys.
	CheckReading func(path, key, value string) string
}

// Defaults is an instance that says nothing.
func Defaults() Instance {
	return Instance{
		Server: Server{Listen: "127.0.0.1:8400", StateDir: "state"},
		API: API{
			Scan: ScanLimits{
				MaxLimit:             10_000_000,
				MaxResultBytes:       2 << 30,
				MaxConcurrentPerUser: 5,
				MaxDailyBytesPerUser: 50 << 30,
				MaxSessionBytes:      50 << 30,
				BQCostPerTBUSD:       5,
				RequestTimeout:       300 * time.Second,
			},
			CatalogCacheTTL: 300 * time.Second,
			SchemaCacheTTL:  3600 * time.Second,
			SampleCacheTTL:  3600 * time.Second,
		},
	}
}
