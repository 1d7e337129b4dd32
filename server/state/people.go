package state

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// personPattern matches names of users and groups, which can be e-mail addresses.
var personPattern = lazyregexp.New(`^[a-z0-9][a-z0-9._@+-]{0,127}$`)

// localUser is the audit's name for the user of an embedded server.
const localUser = "local"

func bad(kind, format string, args ...any) *api.Error {
	return &api.Error{Code: api.CodeBadRequest, Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// personName returns the normal form of a name.
func personName(what, name string) (string, error) {
	lower := strings.ToLower(strings.TrimSpace(name))
	if lower == localUser {
		return "", bad(api.KindBadName, "the name '%s' is reserved for use of the instance without a server", lower)
	}
	if !personPattern().MatchString(lower) {
		e := bad(api.KindBadName, "%s '%s' is not valid", what, api.Clip(name, 80))
		e.Hint = "Names are letters, digits and . _ @ + -, up to 128, and begin with a letter or digit; an e-mail address is one."
		return "", e
	}
	return lower, nil
}

// lookup finds a user or group by name.
func lookup(tx conn, table, what, name string) (int64, error) {
	var id int64
	err := tx.QueryRow("SELECT id FROM "+table+" WHERE name = $1", strings.ToLower(strings.TrimSpace(name))).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		e := bad("unknown_"+what, "there is no %s '%s'", what, api.Clip(name, 80))
		e.Next = []api.Step{api.Do(api.ActionListAdmin, "see every "+what, "what", what),
			api.Do(api.ActionCreateAdmin, "create one", "what", what)}
		return 0, e
	}
	return id, err
}

// insertPerson adds a user or group, whose name must be new.
func (s *Store) insertPerson(ctx context.Context, table, what, name, columns string, values ...any) (id int64, at time.Time, err error) {
	at = s.now().UTC().Truncate(time.Microsecond)
	err = s.change(ctx, rights, func(tx conn) error {
		err := tx.QueryRow("INSERT INTO "+table+" (name, created_at"+columns+") ON CONFLICT DO NOTHING RETURNING id",
			append([]any{name, micros(at)}, values...)...).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return bad(what+"_exists", "there is a %s '%s' already", what, name)
		}
		return err
	})
	return id, at, err
}

// CreateUser adds a user.
func (s *Store) CreateUser(ctx context.Context, u api.NewUser) (*api.User, error) {
	name, err := personName("user", u.Name)
	if err != nil {
		return nil, err
	}
	id, at, err := s.insertPerson(ctx, "users", "user", name, ", admin, folder) VALUES ($1, $2, $3, $4", u.Admin, randomName())
	if err != nil {
		return nil, err
	}
	return &api.User{ID: id, Name: name, Admin: u.Admin, Groups: []string{}, CreatedAt: at}, nil
}

// UserFolder is the folder of a user's conversations, below that of the state. name
// is that of their Bearer's Folder.
func UserFolder(stateDir, name string) string { return filepath.Join(stateDir, "agent", name) }

// FolderName is the name of the folder of a user's conversations. random is the one
// that the state keeps for the user. It is empty for users of earlier releases and
// for the user of an embedded server, whose folders are named after them: no user
// that is created from now on gets such a folder.
func FolderName(user, random string) string {
	if random != "" {
		return random
	}
	sum := sha256.Sum256([]byte(user))
	return hex.EncodeToString(sum[:16])
}

// Folder returns the name of the folder of a user's conversations; "" if there is no
// such user.
func (s *Store) Folder(ctx context.Context, user string) (string, error) {
	var random string
	err := s.asking(ctx).QueryRow("SELECT coalesce(folder, '') FROM users WHERE name = $1", user).Scan(&random)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return FolderName(user, random), err
}

// RequireUser returns a CodeUnauthorized error if the user of an id was deleted, who may
// have requests that still run.
func (s *Store) RequireUser(ctx context.Context, id int64) error {
	var there int
	err := s.asking(ctx).QueryRow("SELECT 1 FROM users WHERE id = $1", id).Scan(&there)
	if errors.Is(err, sql.ErrNoRows) {
		return unauthorized(api.KindUserDeleted, "the user was deleted")
	}
	return err
}

// DeleteUser removes a user with their tokens, memberships, grants, files and
// conversations. Other machines remove their copies in SweepDeleted. Their usage stays
// recorded. The last admin cannot be deleted, because nobody could create another one through
// the server.
func (s *Store) DeleteUser(ctx context.Context, name string) error {
	var gone Deleted
	err := s.renew(ctx, ofGrants, func(tx conn) error {
		id, err := lookup(tx, "users", "user", name)
		if err != nil {
			return err
		}
		var admin bool
		var others int
		var user, random string
		err = tx.QueryRow("SELECT name, coalesce(folder, ''), admin, (SELECT count(*) FROM users WHERE admin = 1 AND id <> u.id) FROM users u WHERE id = $1", id).Scan(&user, &random, &admin, &others)
		if err != nil {
			return err
		}
		if admin && others == 0 {
			e := bad(api.KindLastAdmin, "'%s' is the last admin", strings.ToLower(strings.TrimSpace(name)))
			e.Next = []api.Step{api.Do(api.ActionCreateAdmin, "make another one first", "what", "user", "admin", true)}
			return e
		}
		gone = Deleted{user, strconv.FormatInt(id, 10), FolderName(user, random)}
		_, err = tx.Exec("INSERT INTO deleted_users (id, name, folder, at) VALUES ($1, $2, $3, $4)", id, user, gone.Folder, micros(s.now()))
		if err == nil {
			err = removeRows(tx, gone)
		}
		if err != nil {
			return err
		}
		// Nobody who gets the name later is the owner of what was kept.
		if _, err = tx.Exec("UPDATE known SET owner = '' WHERE owner = $1", user); err != nil {
			return err
		}
		_, err = tx.Exec("DELETE FROM users WHERE id = $1", id)
		return err
	})
	if err != nil {
		return err
	}
	return s.removeFolders(gone) // SweepDeleted tries again
}

// Users lists all users by name.
func (s *Store) Users(ctx context.Context) ([]api.User, error) {
	list := []api.User{}
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var u api.User
		var at int64
		var groups sql.NullString
		if err := rows.Scan(&u.ID, &u.Name, &u.Admin, &at, &groups); err != nil {
			return err
		}
		u.CreatedAt, u.Groups = fromMicros(at), split(groups)
		list = append(list, u)
		return nil
	}, `SELECT id, name, admin, created_at,
		(SELECT string_agg(g.name, ' ' ORDER BY g.name) FROM members m JOIN groups g ON g.id = m.group_id WHERE m.user_id = users.id)
		FROM users ORDER BY name`)
	return list, err
}

// split splits names that a query has joined; no name contains a space.
func split(joined sql.NullString) []string {
	if !joined.Valid {
		return []string{}
	}
	return strings.Split(joined.String, " ")
}

// CreateGroup adds a group.
func (s *Store) CreateGroup(ctx context.Context, g api.NewGroup) (*api.Group, error) {
	name, err := personName("group", g.Name)
	if err != nil {
		return nil, err
	}
	_, at, err := s.insertPerson(ctx, "groups", "group", name, ") VALUES ($1, $2")
	if err != nil {
		return nil, err
	}
	return &api.Group{Name: name, Members: []string{}, CreatedAt: at}, nil
}

// DeleteGroup removes a group with its memberships and grants.
func (s *Store) DeleteGroup(ctx context.Context, name string) error {
	return s.renew(ctx, ofGrants, func(tx conn) error {
		id, err := lookup(tx, "groups", "group", name)
		if err != nil {
			return err
		}
		_, err = tx.Exec("DELETE FROM groups WHERE id = $1", id)
		return err
	})
}

// Groups lists all groups by name.
func (s *Store) Groups(ctx context.Context) ([]api.Group, error) {
	list := []api.Group{}
	err := s.asking(ctx).each(func(rows *sql.Rows) error {
		var g api.Group
		var at int64
		var members sql.NullString
		if err := rows.Scan(&g.Name, &at, &members); err != nil {
			return err
		}
		g.CreatedAt, g.Members = fromMicros(at), split(members)
		list = append(list, g)
		return nil
	}, `SELECT name, created_at,
		(SELECT string_agg(u.name, ' ' ORDER BY u.name) FROM members m JOIN users u ON u.id = m.user_id WHERE m.group_id = groups.id)
		FROM groups ORDER BY name`)
	return list, err
}

// AddMember puts a user into a group. It is idempotent.
func (s *Store) AddMember(ctx context.Context, group, user string) error {
	return s.member(ctx, group, user, "INSERT INTO members (group_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING")
}

// RemoveMember removes a user from a group. It is idempotent.
func (s *Store) RemoveMember(ctx context.Context, group, user string) error {
	return s.member(ctx, group, user, "DELETE FROM members WHERE group_id = $1 AND user_id = $2")
}

func (s *Store) member(ctx context.Context, group, user, statement string) error {
	return s.renew(ctx, ofGrants, func(tx conn) error {
		g, err := lookup(tx, "groups", "group", group)
		if err != nil {
			return err
		}
		u, err := lookup(tx, "users", "user", user)
		if err != nil {
			return err
		}
		_, err = tx.Exec(statement, g, u)
		return err
	})
}
