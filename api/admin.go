package api

import (
	"context"
	"time"
)

// User is an account of the server.
type User struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Admin     bool      `json:"admin"`
	Groups    []string  `json:"groups"` // never null
	CreatedAt time.Time `json:"created_at"`
}

// NewUser is the body of POST /api/admin/users.
type NewUser struct {
	Name  string `json:"name"`
	Admin bool   `json:"admin,omitempty"`
}

// Group is a set of users that grants can name.
type Group struct {
	Name      string    `json:"name"`
	Members   []string  `json:"members"` // never null
	CreatedAt time.Time `json:"created_at"`
}

// NewGroup is the body of POST /api/admin/groups.
type NewGroup struct {
	Name string `json:"name"`
}

// Token is a personal access token, without the secret.
type Token struct {
	ID         string     `json:"id"`
	User       string     `json:"user"`
	Prefix     string     `json:"prefix"` // the first characters of the secret, to recognise it by
	Note       string     `json:"note,omitempty"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`   // null: never expires
	RevokedAt  *time.Time `json:"revoked_at"`   // null: not revoked
	LastUsedAt *time.Time `json:"last_used_at"` // to the minute; null: never
}

// NewToken is the body of POST /api/admin/tokens.
type NewToken struct {
	User           string `json:"user"`
	Note           string `json:"note,omitempty"`
	ExpiresSeconds int64  `json:"expires_seconds,omitempty"` // from now; 0: never expires
}

// CreatedToken is a new token with its secret, which is shown only here.
type CreatedToken struct {
	Secret string `json:"token"`
	Token
}

// Grant lets a user or a group read a rectangle of a table: some columns, some
// rows, and some of the columns only masked.
type Grant struct {
	ID        int64     `json:"id"`
	User      string    `json:"user,omitempty"`  // this, or Group
	Group     string    `json:"group,omitempty"` // this, or User
	TableID   string    `json:"table_id"`
	Columns   []string  `json:"columns"` // null: all
	Rows      string    `json:"rows"`    // a predicate in the table's dialect; empty: all
	Masks     Masks     `json:"masks,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by"`
}

// NewGrant is the body of POST /api/admin/grants.
type NewGrant struct {
	User    string   `json:"user,omitempty"`
	Group   string   `json:"group,omitempty"`
	TableID string   `json:"table_id"`
	Columns []string `json:"columns,omitempty"`
	Rows    string   `json:"rows,omitempty"`
	Masks   Masks    `json:"masks,omitempty"`
}

// Masks say, by column, what is shown in place of its values: null, constant,
// constant:TEXT, hash, last4, date:UNIT or number:STEP.
type Masks = map[string]string

// RegisteredTable is a table that an admin has added to those of the instance
// file; the body of POST /api/admin/tables without the last two fields.
type RegisteredTable struct {
	ID          string     `json:"id"`
	Source      string     `json:"source"`
	Relation    string     `json:"relation"` // a lake's path, or schema.table
	QueryMode   QueryMode  `json:"query_mode,omitempty"`
	Description string     `json:"description,omitempty"`
	Public      bool       `json:"public,omitempty"`
	CreatedAt   *time.Time `json:"created_at,omitempty"`
	CreatedBy   string     `json:"created_by,omitempty"`
}

// AuditEvent is one row of the audit.
type AuditEvent struct {
	ID        int64     `json:"id"`
	At        time.Time `json:"at"`
	RequestID string    `json:"request_id"`
	EventType string    `json:"event_type"`
	User      string    `json:"user_email"`
	TableID   string    `json:"table_id"` // empty if the event concerns no table, or several
	Data      AuditData `json:"event_data"`
}

// The event types of the audit.
const (
	EventCatalog  = "catalog_list"
	EventSchema   = "catalog_schema"
	EventSample   = "table_sample"
	EventScan     = "fetch_scan"
	EventEstimate = "fetch_estimate"
	EventQuery    = "remote_query"
	EventSync     = "table_sync"
	EventAdmin    = "admin_change"
	EventSignIn   = "sign_in" // to the page; Action says with what
	EventFile     = "file"
	EventModel    = "model" // one turn of a conversation with the server's model
)

// The values of AuditData.Status.
const (
	StatusOK        = "ok"
	StatusRejected  = "rejected"
	StatusQuota     = "quota_exceeded"
	StatusTruncated = "truncated"
	StatusStopped   = "stopped" // by its caller, or by an admin
	StatusError     = "error"
)

// AuditStatuses are all of them.
var AuditStatuses = []string{StatusOK, StatusTruncated, StatusStopped, StatusRejected, StatusQuota, StatusError}

// AuditData says what was asked and how it ended. It contains no predicate, cell
// value or token.
type AuditData struct {
	Select         []string `json:"select,omitempty"`
	Masked         []string `json:"masked,omitempty"` // those of select whose values were replaced
	Tables         []string `json:"tables,omitempty"`
	AsOf           string   `json:"as_of,omitempty"`          // the version of the table that was meant
	WhereHash      *string  `json:"where_hash"`               // HMAC of the normalised predicate
	StatementHash  string   `json:"statement_hash,omitempty"` // HMAC of a remote statement
	Limit          *int64   `json:"limit"`
	EstimatedBytes *int64   `json:"estimated_scan_bytes"`
	ResultRows     *int64   `json:"actual_result_rows"`
	ResultBytes    *int64   `json:"actual_result_bytes"`
	ScanBytes      *int64   `json:"actual_scan_bytes"` // at a source that bills them
	LatencyMS      *int64   `json:"latency_ms"`        // null: not measured
	Status         string   `json:"status"`
	ErrorKind      *string  `json:"error_kind"` // validator, rbac, quota, source, timeout, internal; stopped_by_admin
	ErrorCode      Code     `json:"error_code,omitempty"`
	ClientAgent    string   `json:"client_agent,omitempty"`
	Session        string   `json:"session,omitempty"`
	Cost           *float64 `json:"cost,omitempty"`      // of a turn with a model, in the currency of its prices
	Action         string   `json:"action,omitempty"`    // what an admin did, or what was done to a file
	Subject        string   `json:"subject,omitempty"`   // the object of the action
	FileName       string   `json:"file_name,omitempty"` // what the file had for a name whose id is the subject
}

// AuditQuery picks rows of the audit; the zero value means the latest.
type AuditQuery struct {
	Since   time.Time
	User    string
	TableID string
	Status  string // how they ended, several between commas; empty: in any way
	Before  int64  // only events with a lower id: those that came before; 0: all
	Limit   int    // 0: DefaultAuditRows; at most MaxAuditRows
}

// Limits on the rows of an audit answer.
const (
	DefaultAuditRows = 1000
	MaxAuditRows     = 100_000
)

// The interfaces below show or change the server's own state. Only admins can
// call them; other callers get CodeForbidden. Objects that do not exist are
// CodeBadRequest, with the kind "unknown_user" and the like.

// UserAdmin manages users.
type UserAdmin interface {
	Users(ctx context.Context) ([]User, error)
	// CreateUser fails if the name is taken.
	CreateUser(ctx context.Context, u NewUser) (*User, error)
	// DeleteUser also ends the user's tokens and grants.
	DeleteUser(ctx context.Context, name string) error
}

// GroupAdmin manages groups. Adding a member twice is not an error, and neither
// is removing a user who is not a member.
type GroupAdmin interface {
	Groups(ctx context.Context) ([]Group, error)
	CreateGroup(ctx context.Context, g NewGroup) (*Group, error)
	DeleteGroup(ctx context.Context, name string) error
	AddMember(ctx context.Context, group, user string) error
	RemoveMember(ctx context.Context, group, user string) error
}

// TokenAdmin manages personal access tokens.
type TokenAdmin interface {
	// Tokens lists the tokens of a user; an empty user lists all tokens.
	Tokens(ctx context.Context, user string) ([]Token, error)
	CreateToken(ctx context.Context, t NewToken) (*CreatedToken, error)
	// RevokeToken takes effect at once. Revoking twice is not an error.
	RevokeToken(ctx context.Context, id string) error
}

// GrantAdmin manages who may read what.
type GrantAdmin interface {
	// Grants lists the grants on a table, or all if tableID is empty.
	Grants(ctx context.Context, tableID string) ([]Grant, error)
	// CreateGrant checks columns and predicate against the table's current
	// schema.
	CreateGrant(ctx context.Context, g NewGrant) (*Grant, error)
	RevokeGrant(ctx context.Context, id int64) error
}

// TableAdmin manages the tables that are not in the instance file.
type TableAdmin interface {
	RegisteredTables(ctx context.Context) ([]RegisteredTable, error)
	RegisterTable(ctx context.Context, t RegisteredTable) (*RegisteredTable, error)
	// UnregisterTable also ends the table's grants.
	UnregisterTable(ctx context.Context, id string) error
	// RefreshTable reads the source of a ModeLocal table now. It rebuilds the
	// table's file unless the source reports that nothing has changed.
	RefreshTable(ctx context.Context, id string) (*RefreshedTable, error)
}

// AuditAdmin shows the audit and the quotas.
type AuditAdmin interface {
	// Audit lists events, oldest first.
	Audit(ctx context.Context, q AuditQuery) ([]AuditEvent, error)
	// Quotas lists what each user has used today.
	Quotas(ctx context.Context) ([]QuotaStatus, error)
	// QuotaRules lists the quotas that users and groups have of their own.
	QuotaRules(ctx context.Context) ([]QuotaRule, error)
	// SetQuota sets one; without figures it ends.
	SetQuota(ctx context.Context, q QuotaRule) (*QuotaRule, error)
}
