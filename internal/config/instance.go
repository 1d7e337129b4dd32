package config

import (
	"net/netip"
	"time"

	"github.com/agnes-data/da/api"
)

// Instance is a parsed instance file, with defaults filled in and absolute paths.
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
	Files      *Files   // limits per user; nil: users cannot keep files
	Sources    []Source // in file order
	Tables     []Table  // in file order
	// SemanticModel is the absolute path of a file or folder that says what tables
	// mean; empty: nothing does.
	SemanticModel string
	// Vectors is the absolute path of a file of word vectors, by which the search finds
	// words of similar meaning; empty: none.
	Vectors string
	// Dashboards is the absolute path of a folder with dashboards; empty: none.
	Dashboards string
	Schedules  []Schedule // in file order
}

// Server is how the instance is served.
type Server struct {
	Listen   string // host:port
	Flight   string // host:port of Flight SQL; empty: it is not spoken
	StateDir string // absolute
	// State is the address of a PostgreSQL database that holds the state, StateEnv the
	// variable with it. If both are empty, the state is in StateDir.
	State, StateEnv string
	// MaxConnections limits concurrent connections; 0 means a quarter of the
	// descriptors that the process can have.
	MaxConnections int64
	// Drain is how long running requests have to end when the server is told to.
	Drain time.Duration
	Blobs Blobs
	// Proxies are the addresses of reverse proxies, which say where a request comes from.
	Proxies []netip.Prefix
}

// Blobs is where servers with one state keep files for each other.
type Blobs struct {
	At       string // a folder, absolute, or s3://bucket/prefix; empty: they do not
	Endpoint string // as that of a lake in a bucket, as are the others
	Region   string
	// AccessKeyEnv and SecretKeyEnv are variables.
	AccessKeyEnv, SecretKeyEnv string
}

// API holds the limits of the service.
type API struct {
	Scan            ScanLimits
	CatalogCacheTTL time.Duration // 0: not cached
	SchemaCacheTTL  time.Duration
	SampleCacheTTL  time.Duration
}

// ScanLimits limit scans and their cost.
type ScanLimits struct {
	MaxLimit             int64 // rows
	MaxResultBytes       int64 // of Arrow buffers
	MaxConcurrentPerUser int64
	MaxDailyBytesPerUser int64
	MaxSessionBytes      int64   // of a conversation without a budget; 0: no limit
	BQCostPerTBUSD       float64 // per 2^40 bytes
	RequestTimeout       time.Duration
}

// Metrics says what /metrics shows, and which collector gets it, with a span of each
// request.
type Metrics struct {
	PerUser        bool   // label by user id
	OTLP           string // the collector's address; empty: nothing is sent
	OTLPHeadersEnv string // the variable with headers for it, as name=value,...
	OTLPEvery      time.Duration
}

// Source is one configured place that holds data.
type Source struct {
	Name string
	Type api.SourceType
	// At is the source's place, as file:line:column, for later errors.
	At string
	// Text and Size have the source type's keys by name; keys that are not given
	// are absent. Paths are absolute, sizes are in bytes.
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
	// RefreshEvery is how long the file of a local table is used before the
	// server asks the source again; 0 means at each sync.
	RefreshEvery time.Duration
	// Reading says how files of delimited text are read; nil: detect it.
	Reading *Reading
}

// Reading sets what delimited text leaves ambiguous; empty fields are detected.
type Reading struct {
	Delimiter  string
	Encoding   string
	DateFormat string
	NoHeader   bool
	HeaderLine int64
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
	// Check returns what is wrong with an existing file, as the end of a sentence
	// that starts with its name, or "". It does not quote the file. May be nil.
	Check func(path string) string
}

// SourceType describes a type of source to the reader of instance files.
type SourceType struct {
	Type api.SourceType
	// Keys are the keys besides type.
	Keys []Key
	// OneOf lists groups of keys; exactly one of each group is required.
	OneOf [][]string
	// TableKey is how a table names its relation: "path" or "relation".
	TableKey string
	// CheckReading returns which values a key of Reading can have for the files
	// of a path; "" if its value is valid. nil: tables of this type have no such
	// keys.
	CheckReading func(path, key, value string) string
}

// Defaults is an instance that says nothing.
func Defaults() Instance {
	return Instance{
		Server: Server{Listen: "127.0.0.1:8400", StateDir: "state", Drain: 10 * time.Second},
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
